"""Captured exchanges: a request with its answer, and answers that came as one JSON document."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.recording import Dump, read_dump
from mockserver.dialects.requests import Inbound
from mockserver.foundation.faults import Place, Problem, UserError, did_you_mean
from mockserver.foundation.json_fields import mapping
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import CloseHow

ERROR = 400
"""The first status of HTTP that is an error."""

NOTHING = Dump((), None)
"""The events of an answer that is no stream."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer.

    ``name`` says where it was, for messages. ``body`` is the JSON of the request; None if the
    capture does not have it. ``dump`` are the events of the answer. An answer that is no stream has
    a ``plain`` body instead. ``close`` is how the answer ended; None if the capture cannot tell.
    ``dialect`` is empty unless the capture says it. ``notes`` say what in the capture is not in its
    events. Exchanges of another ``run`` are of another conversation. ``inbound`` is the request as
    its dialect reads it; None until that is known.
    """

    name: str
    dump: Dump = NOTHING
    body: Any = None
    request_headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    plain: bytes | None = None
    close: CloseHow | None = None
    dialect: str = ""
    url: str = ""
    run: str = ""
    notes: tuple[str, ...] = ()
    inbound: Inbound | None = None

    @property
    def failed(self) -> bool:
        """Whether a client may send the request again."""
        if self.status >= ERROR:
            return True
        ending = KIT[self.dialect].endings.of_event
        ends = [ending(event.type, mapping(event.data)) for event in self.dump.events]
        return not any(ends) or "failed" in ends


class Api(NamedTuple):
    """An API by its name in messages; ``dialect`` is empty if it is not spoken here."""

    name: str
    dialect: str = ""


# A field of the answers of an API that is not spoken here, and its value if that matters.
_OTHERS = (
    ("type", "message", Api("Anthropic's Messages")),
    ("candidates", None, Api("Gemini's own API")),
)


def recognise_api(value: Any) -> Api | None:
    """The API of a whole answer; None if the value is not known to be one."""
    found = mapping(value)
    for name, dialect in KIT.items():
        if (whole := dialect.recognition.document) and found.get("object") == whole:
            return Api(f"the dialect {name}", name)
    for name, wanted, api in _OTHERS:
        if name in found and wanted in (None, found[name]):
            return api
    return None


def parse_json(body: str | bytes) -> Any:
    """The value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def describe_no_stream(what: str, api: Api, place: Place) -> Problem:
    """Says that a capture has whole answers alone, and what would be imported."""
    if api.dialect:
        hint = 'streams are imported: the request has to say "stream": true'
        return Problem(f"{what} of {api.name}, and no stream", place, hint)
    message = f"{what} of {api.name}, which streamproof does not play"
    return Problem(message, place, f"it plays {', '.join(KIT)}")


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with its strings changed; the keys of objects stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: map_strings(inner, change) for key, inner in value.items()}
    return [map_strings(each, change) for each in value] if isinstance(value, list) else value


def check_dialect(dialect: str) -> str:
    """The name of a dialect, or an empty text. Raises UserError if no dialect is called so."""
    if dialect and dialect not in KIT:
        hint = did_you_mean(dialect, KIT) or f"there are {', '.join(KIT)}"
        raise UserError(Problem(f"no dialect is called {dialect!r:.80}", hint=hint))
    return dialect


def read_body(body: bytes, name: str) -> tuple[SentEvent, ...]:
    """The events of a stream's body, which may have nothing that is JSON."""
    # With headers, a recording is taken for an event stream in any case.
    return read_dump(b"HTTP/1.1 200 OK\r\n\r\n" + body, name).events


def write_sse(event: SentEvent, name: str = "") -> str:
    """An event as lines of server-sent events; ``name`` is the value of its ``event:`` line."""
    if event.kind == "comment":
        return f": {event.data}\n\n"
    data = event.type if event.kind == "done" else event.data
    lines = (dump(data) if event.kind == "event" else str(data)).split("\n")
    named = f"event: {name}\n" if name else ""
    return named + "".join(f"data: {line}\n" for line in lines) + "\n"
