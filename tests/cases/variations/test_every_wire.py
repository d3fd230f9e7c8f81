"""Every scenario under every variation of lines and cuts: the reference adapters survive them all.

A scenario meets each of them at least once, in pairs of one of lines and one of cuts; the scenarios
that stand for their dialect meet every pair, and one of each dialect every cut at a single byte. No
sockets are used. For most scenarios, a stream that is cut at every byte is decoded only, since its
thousands of writes would take an hour to play.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import product

import pytest

from conformance.dialects.client.sse import Decoder, Message
from conformance.drivers.kinds import driver_of
from conformance.suite.session import Session
from conformance.suite.workbench import run
from mockserver.cases.case import Case, misfit
from mockserver.cases.render import differs, render
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Answer
from mockserver.wire.frames import Plan, Write
from mockserver.wire.slots import fill
from tests.cases.variations.test_readings import ADAPTERS, CATALOGUE, SCENARIOS, adapter_for, of
from tests.representative import REACHES, split
from tests.wireless import Wireless

EVERY_BYTE = "byte-by-byte"
LINES = [each.name for each in VARIATIONS.values() if each.layer == "lines"]
CUTS = [each.name for each in VARIATIONS.values() if each.layer == "cuts"]
FEW_CUTS = [name for name in CUTS if name != EVERY_BYTE]
SHORT = "any/refusal"
TELLING_OF_A_DIALECT = 6
# Played in parts, so that several processes can share them.
PARTS = range(8)


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """Each reference adapter by its name, driven without a socket."""
    with Wireless(CATALOGUE) as upstream, ExitStack() as stack:
        drivers = {each.name: driver_of(each) for each in ADAPTERS}
        for driver in drivers.values():
            stack.callback(driver.close)
        yield {each.name: Session(each, drivers[each.name], upstream) for each in ADAPTERS}


def streams() -> list[Case]:
    """Every scenario that has a stream, in each of its dialects."""
    return [Case(each, d) for each in SCENARIOS if each.streams for d in each.dialects]


def under(case: Case, *names: str) -> Case:
    return Case(case.scenario, case.dialect, names)


def check(sessions: dict[str, Session], cases: Iterable[Case]) -> None:
    """Play the cases that their variations fit; none may have a finding."""
    played = [each for each in cases if not misfit(each) and differs(each)]
    assert played
    for each in played:
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_every_scenario_survives_each_variation_of_lines_and_of_cuts(
    sessions: dict[str, Session], part: int
) -> None:
    """In pairs, so that over the scenarios each variation of lines meets each of cuts."""
    cases = list(enumerate(streams()))[part :: len(PARTS)]
    check(
        sessions,
        (
            under(case, lines, FEW_CUTS[(n + row) % len(FEW_CUTS)])
            for n, case in cases
            for row, lines in enumerate(LINES)
        ),
    )


def telling(dialect: str) -> list[Case]:
    """The scenarios of a dialect that have the most features."""
    spoken = [case for case in of(dialect) if case.scenario.streams]
    return split(spoken)[0][:TELLING_OF_A_DIALECT]


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_telling_scenarios_survive_every_pair_of_lines_and_cuts(
    sessions: dict[str, Session], dialect: str
) -> None:
    chosen = telling(dialect)
    assert len(chosen) == TELLING_OF_A_DIALECT
    check(sessions, (under(case, *pair) for case in chosen for pair in product(LINES, FEW_CUTS)))
    check(sessions, (under(case, EVERY_BYTE) for case in chosen))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("reach", REACHES)
def test_a_short_scenario_survives_a_cut_after_every_byte(
    sessions: dict[str, Session], dialect: str, reach: str
) -> None:
    (short,) = (case for case in of(dialect) if case.scenario.id == SHORT)
    size = len(b"".join(chunks(short, render(short, 0).plan)))
    check(sessions, (under(short, f"cut:{n}") for n in range(1, size, 97 if reach == "few" else 1)))


def chunks(case: Case, plan: Plan) -> list[bytes]:
    """The writes of a plan, with sample values in their slots."""
    sample = DIALECTS[case.dialect].sample()
    filled = plan.filled(sample)
    return [fill(step.pieces, sample) for step in filled.writes if isinstance(step, Write)]


def decoded(case: Case) -> list[list[Message]]:
    """What the decoder of the reference adapters makes of each stream of a case."""
    return [
        _decoded(chunks(case, render(case, n, attempt).plan))
        for n, turn in enumerate(case.scenario.turns)
        for attempt, tried in enumerate(turn.attempts, 1)
        if not isinstance(tried.script, Answer)
    ]


def _decoded(pieces: Iterable[bytes]) -> list[Message]:
    decoder = Decoder()
    return [*(message for piece in pieces for message in decoder.feed(piece)), *decoder.end()]


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_every_scenario_is_decoded_byte_by_byte_as_at_once(part: int) -> None:
    for n, case in list(enumerate(streams()))[part :: len(PARTS)]:
        lines = LINES[n % len(LINES)]
        assert decoded(under(case, lines, EVERY_BYTE)) == decoded(under(case, lines)), str(case)
