"""The ids of runs that carry their case: any worker reads them, and nobody else makes them."""

from pathlib import Path

import pytest

from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import UserError
from mockserver.server.answers import Refused
from mockserver.server.run_ids import RunIds
from mockserver.server.runs import Condition, Offer
from mockserver.server.state import State
from tests.server import SCENARIOS, choose_case, write

SECRET = b"the secret of one server"


@pytest.fixture
def ids(folder: Path) -> RunIds:
    return RunIds(SECRET, Catalogue([folder]))


def offered(case: Case) -> tuple[Offer, ...]:
    return (Offer(case, str(case)),)


def varied(state: State) -> tuple[Offer, ...]:
    case = choose_case(state, "any/hello")
    return offered(Case(case.scenario, "openresponses", ("crlf", "no-done")))


def test_another_worker_reads_the_case_of_an_id(ids: RunIds, folder: Path, state: State) -> None:
    id_ = ids.new(varied(state))
    (read,) = RunIds(SECRET, Catalogue([folder])).offers(id_) or ()
    assert str(read.case) == "any/hello@openresponses+crlf+no-done"
    assert id_.replace("-", "").replace("_", "").isalnum()


def test_another_worker_reads_all_cases_of_an_id_and_their_conditions(
    ids: RunIds, folder: Path, state: State
) -> None:
    hello = Offer(choose_case(state, "any/hello"), "any/hello", Condition(message="¿Qué?"))
    read = RunIds(SECRET, Catalogue([folder])).offers(ids.new((hello, *varied(state)))) or ()
    assert [each.to_json() for each in read] == [
        {"case": "any/hello", "when": {"message": "¿Qué?"}},
        {"case": "any/hello@openresponses+crlf+no-done", "when": {}},
    ]


def test_what_one_worker_alone_would_know_gets_no_id(ids: RunIds, state: State) -> None:
    case = choose_case(state, "any/hello")
    with pytest.raises(UserError, match="one worker alone would know of a 'scenario'"):
        ids.new([Offer(case, "any/hello", own=True)])
    with pytest.raises(UserError, match="one worker alone would know of 'default'"):
        ids.new(offered(case), default=True)


def test_two_runs_of_a_case_have_different_ids(ids: RunIds, state: State) -> None:
    assert ids.new(varied(state)) != ids.new(varied(state))


def test_an_id_of_another_server_is_not_known(folder: Path, ids: RunIds, state: State) -> None:
    other = RunIds(b"another secret", Catalogue([folder]))
    assert ids.offers(other.new(varied(state))) is None


def test_no_character_of_an_id_can_be_changed(ids: RunIds, state: State) -> None:
    id_ = ids.new(varied(state))
    for at in range(len(id_)):
        # Of the last character, some bits may not count.
        changed = id_[:at] + ("A" if id_[at] != "A" else "Q") + id_[at + 1 :]
        assert ids.offers(changed) is None, at


@pytest.mark.parametrize(
    "text", ["", "x", "?" * 40, "AAAA", "ä" * 60, "A" * 100_000, "../../etc", "%00" * 20]
)
def test_what_is_no_id_is_not_known(ids: RunIds, text: str) -> None:
    assert ids.offers(text) is None


def test_a_run_of_an_edited_scenario_is_not_played(ids: RunIds, folder: Path, state: State) -> None:
    id_ = ids.new(varied(state))
    write(folder, "any/hello", SCENARIOS["any/hello"].replace("Hello there", "Hello again"))
    with pytest.raises(Refused, match="has changed since the run was opened") as caught:
        ids.offers(id_)
    assert caught.value.status == 409


def test_a_case_with_an_endless_id_gets_no_run(folder: Path) -> None:
    name = "long-" * 130
    # Folders, since the name of a single file has a limit of its own.
    deep = "/".join([name[:100]] * 6)
    write(folder, deep, SCENARIOS["any/hello"])
    catalogue = Catalogue([folder])
    case = choose_case(State(catalogue), deep)
    with pytest.raises(UserError, match="fits in no run's id"):
        RunIds(SECRET, catalogue).new(offered(case))
