"""The default cases of the suite expose every wrong decoder of event streams.

The reference adapters play one scenario under the variations that it names, with a wrong decoder in
place of their own, and parse the data of every message that the decoder dispatches, as most
adapters do. A decoder is exposed by a case if the case has a finding of level ``must``.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from unittest.mock import patch

import pytest

from conformance.dialects.client import transport
from conformance.dialects.client.sse import Decoder, Message
from conformance.drivers.kinds import driver_of
from conformance.suite.session import Session
from conformance.suite.workbench import items, reference_adapters, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.wire.frames import Write
from mockserver.wire.slots import fill
from tests.cases.variations.decoders import DECODERS
from tests.cases.variations.decoders.wrong import Decodes, Wrong
from tests.wireless import RENDERINGS, Wireless

CATALOGUE = Catalogue.shipped()
TELLING = "any/unicode-and-large-numbers"
ADAPTERS = {
    "chat": "reference-chat-vscode",
    "openresponses": "reference-openresponses-vscode",
    "vercel-gateway": "reference-gateway-vscode",
}

# A variation that changes the stream as others do, and more, exposes what these expose.
CONTAINS = {
    "mixed-line-ends": {"crlf", "cr"},
    "crlf-then-lf": {"crlf"},
    "cut:cr-lf": {"crlf"},
    "cut:data-lines": {"crlf", "data-lines"},
    "bom+no-event-line+data-lines": {"data-lines", "no-event-line"},
    "bom+no-event-line+data-lines+cut:1": {
        # The BOM is a character of three bytes.
        *("data-lines", "no-event-line", "cut:1", "cut:character", "bom+no-event-line+data-lines")
    },
}


@lru_cache
def cases(dialect: str) -> dict[str, Case]:
    """The default cases of the telling scenario in a dialect, by their variations."""
    adapter = next(each for each in reference_adapters() if each.name == ADAPTERS[dialect])
    found = (item.case for item in items(CATALOGUE, [adapter]) if item.case)
    return {"+".join(each.variations): each for each in found if each.scenario.id == TELLING}


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """A reference adapter for each dialect, driven without a socket."""
    with Wireless(CATALOGUE) as upstream, ExitStack() as stack:
        opened = {}
        for adapter in reference_adapters():
            if adapter.name in ADAPTERS.values():
                stack.callback((driver := driver_of(adapter)).close)
                opened[adapter.dialects[0]] = Session(adapter, driver, upstream)
        yield opened


def chunks(case: Case) -> list[bytes]:
    """What a client reads of a case, read by read."""
    sample = DIALECTS[case.dialect].sample()
    laid = RENDERINGS.get(case, 0).plan.filled(sample)
    return [fill(step.pieces, sample) for step in laid.writes if isinstance(step, Write)]


def decoded(make: Callable[[], Decodes], case: Case) -> object:
    """What a decoder makes of a case, as data; the message of the error if it fails."""
    decoder = make()
    try:
        read = [message for chunk in chunks(case) for message in decoder.feed(chunk)]
        return [_event(message) for message in (*read, *decoder.end())]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _event(message: Message) -> object:
    try:
        return strict(message)
    except ValueError:
        return message


def strict(message: Message) -> dict[str, object]:
    """The event of a message, as an adapter reads it that parses whatever is dispatched."""
    data = json.loads(message.data)
    return {"type": message.event, **data} if isinstance(data, dict) else {}


def exposed(session: Session, make: Callable[[], Decodes], case: Case) -> bool:
    """Whether a case has a finding about an adapter with this decoder, manners aside."""
    with patch.object(transport, "Decoder", make), patch.object(transport, "_decoded", strict):
        found = run(session, case).findings
        return any(each.kind.weight != "manners" for each in found)


def exposing(sessions: dict[str, Session], wrong: Wrong) -> set[str]:
    """The variations that expose a decoder; empty is the name of the plain stream.

    Where it decodes the same as the reference, nothing needs to be played.
    """
    return {
        names
        for names, case in cases(wrong.dialect).items()
        if decoded(wrong.decoder, case) != decoded(Decoder, case)
        and exposed(sessions[wrong.dialect], wrong.decoder, case)
    }


@pytest.mark.parametrize("dialect", ADAPTERS)
def test_a_right_decoder_passes_every_default_case(
    sessions: dict[str, Session], dialect: str
) -> None:
    assert [n for n, c in cases(dialect).items() if exposed(sessions[dialect], Decoder, c)] == []


@pytest.mark.parametrize("wrong", DECODERS, ids=lambda wrong: wrong.name)
def test_a_wrong_decoder_is_exposed(sessions: dict[str, Session], wrong: Wrong) -> None:
    found = exposing(sessions, wrong)
    assert found
    if wrong.only:
        assert wrong.only in found
        more = {name for name in found if wrong.only in CONTAINS.get(name, ())}
        assert found == {wrong.only} | more


def test_every_variation_of_the_telling_scenario_exposes_a_decoder_that_no_other_does() -> None:
    named = {name for dialect in ADAPTERS for name in cases(dialect)} - {""}
    assert named == {wrong.only for wrong in DECODERS} - {""}


# Played elsewhere, with the reason.
NOT_TELLING = {
    "byte-by-byte": "every cut at once, a millisecond for each byte",
    "done-apart": "easier than the plain stream, whose [DONE] shares the last write",
    "one-write": "as the plain stream, which has no pauses",
    "bom": "played with what makes a lost first line show",
}


def test_every_variation_of_lines_and_cuts_is_played_by_default() -> None:
    known = {each.name for each in VARIATIONS.values() if each.layer in ("lines", "cuts")}
    assert known - NOT_TELLING.keys() == {
        name for dialect in ADAPTERS for name in cases(dialect) if "+" not in name
    } - {"", "cut:1"}
