"""Plays cases without sockets, as captures: what a client would record of them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from conformance.dialects.recording import recorded_turn
from conformance.drivers.kinds import driver_of
from conformance.suite.session import Session
from conformance.suite.workbench import reference_adapters
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.scenario.script import Answer
from streamproof._captures.conversation import Conversation, find_conversations, read_request
from streamproof._captures.exchange import NOTHING, Exchange
from streamproof._captures.reference import Reference
from streamproof._captures.scenario import Imported, make_scenario
from tests.wireless import Wireless

CATALOGUE = Catalogue.shipped()

References = dict[str, Reference]


@contextmanager
def references() -> Iterator[References]:
    """The reference adapter of each dialect, driven without a socket."""
    with Wireless(CATALOGUE) as upstream, ExitStack() as stack:
        found = {}
        for described in reference_adapters():
            if described.vocabulary == "vscode":
                driver = driver_of(described)
                stack.callback(driver.close)
                (dialect,) = described.dialects
                found[dialect] = Reference(Session(described, driver, upstream), dialect)
        yield found


def captured(case: Case) -> list[Exchange]:
    """What a client records of the turns of a case; turns that are no streams are left out."""
    dumps = (
        (n, recorded_turn(case, n))
        for n, turn in enumerate(case.scenario.turns)
        if not isinstance(turn.script, Answer) and turn.script.steps
    )
    return [Exchange(f"turn {n}", dump, dialect=case.dialect) for n, dump in dumps if dump.events]


def any_bytes(case: Case, turn: int) -> bool:
    script = case.scenario.turns[turn].script
    return bool(script.steps) and bool(recorded_turn(case, turn).events)


def imported(case: Case, found: References) -> Imported:
    """The scenario that is made of the streams of a case."""
    (conversation,) = find_conversations(captured(case))
    return make_scenario(conversation, [], "captured/case", found[case.dialect])


def conversation(case: Case) -> Conversation:
    """All turns of a case with all attempts, also the plain ones, as a proxy sees them."""
    turns = [
        [read_request(_exchange(case, n, attempt)) for attempt in range(1, len(turn.attempts) + 1)]
        for n, turn in enumerate(case.scenario.turns)
    ]
    return Conversation(case.dialect, turns)


def _exchange(case: Case, turn: int, attempt: int) -> Exchange:
    name = f"turn {turn}, attempt {attempt}"
    script = case.scenario.turns[turn].attempt(attempt).script
    if isinstance(script, Answer):
        headers = {key.lower(): value for key, value in script.headers.items()}
        return Exchange(
            name, status=script.status, headers=headers, plain=script.body, dialect=case.dialect
        )
    plan = render(case, turn, attempt).plan
    dump = recorded_turn(case, turn, attempt) if plan.sent else NOTHING
    return Exchange(name, dump, close=plan.close, dialect=case.dialect)
