"""From the bytes of a capture to scenarios: read, recognise, redact, split, convert."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from conformance.dialects.recognition import KNOWN_DIALECTS, describe_unknown, recognise_dialect
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import InputError, Place, Problem
from streamproof._captures.conversation import Conversation, find_conversations, read_request
from streamproof._captures.exchange import (
    Exchange,
    check_dialect,
    describe_no_stream,
    parse_json,
    recognise_api,
)
from streamproof._captures.formats import read_exchanges
from streamproof._captures.redaction import Redaction


def read_conversations(captures: Iterable[tuple[str, bytes]], dialect: str) -> list[Conversation]:
    """The conversations of captures, each with its name, in order; they may have secrets.

    Without a ``dialect`` it is recognised by the events. Raises UserError if a capture cannot be
    read, or is of no known dialect.
    """
    named = check_dialect(dialect)
    read = [exchange for name, data in captures for exchange in read_exchanges(data, name)]
    return find_conversations(require_dialects(read, named))


def remove_secrets(conversation: Conversation, redaction: Redaction) -> Conversation:
    """A conversation that is redacted."""
    turns = [
        [read_request(redact(each, redaction)) for each in turn] for turn in conversation.turns
    ]
    return Conversation(conversation.dialect, turns, conversation.left_out)


def require_dialects(exchanges: Sequence[Exchange], named: str = "") -> list[Exchange]:
    """The exchanges with their dialects. Raises InputError if one is of no known dialect."""
    known = add_dialects(exchanges, named)
    for each in known:
        if not each.dialect:
            raise explain_unknown(each)
    return known


def add_dialects(exchanges: Sequence[Exchange], named: str = "") -> list[Exchange]:
    """The exchanges with their dialects, which are empty where they are unknown.

    An answer without events is in the dialect of others at the same URL, else in the one that has
    requests at such a URL, else in that of any other.
    """
    known = [
        replace(each, dialect=named or recognise(each) or _of_answer(each)) for each in exchanges
    ]
    spoken = {each.url: each.dialect for each in known if each.dialect}
    usual = next(iter(spoken.values()), "")
    return [
        each
        if each.dialect or each.dump.events
        else replace(each, dialect=spoken.get(each.url) or _asked_at(each.url) or usual)
        for each in known
    ]


def _of_answer(exchange: Exchange) -> str:
    """The dialect of an answer that came in full; empty if it is not known."""
    api = recognise_api(parse_json(exchange.plain or b""))
    return api.dialect if api else ""


_OPERATIONS = {
    operation: dialect.name
    for dialect in DIALECTS.values()
    for operation in dialect.requests.operations
}


def _asked_at(url: str) -> str:
    """The dialect whose requests go to a URL; empty if there is none."""
    path = urlsplit(url).path
    found = [name for operation, name in _OPERATIONS.items() if path.endswith(f"/{operation}")]
    return found[0] if len(found) == 1 else ""


def recognise(exchange: Exchange) -> str:
    """The dialect of an exchange; empty if its events are of none."""
    return exchange.dialect or recognise_dialect(exchange.dump.events)


def explain_unknown(exchange: Exchange) -> InputError:
    """The error that says why an exchange cannot be imported: its dialect is not recognised."""
    place = Place(exchange.name)
    if api := recognise_api(parse_json(exchange.plain or b"")):
        return InputError(describe_no_stream("this is a whole answer", api, place))
    what = describe_unknown(exchange.dump.events)
    if exchange.plain is not None and not exchange.dump.events:
        it = f"it is a plain answer with the status {exchange.status}"
        what = f"{it}, so nothing says which dialect it is in"
    return InputError(Problem(what, place, f"{KNOWN_DIALECTS}; --dialect names one of these"))


def redact(exchange: Exchange, redaction: Redaction) -> Exchange:
    """An exchange without secrets in its events, its request and its answer."""
    events = redaction.events(exchange.dump.events)
    plain = exchange.plain
    if plain is not None:
        text = redaction.text(plain.decode("utf-8", "surrogateescape"))
        plain = text.encode("utf-8", "surrogateescape")
    dump, body = replace(exchange.dump, events=events), redaction.value(exchange.body)
    return replace(exchange, dump=dump, body=body, plain=plain)
