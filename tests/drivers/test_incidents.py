"""What a process does when no single run is to blame is reported, and by one run only."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import Incident
from conformance.findings.words import message_of
from conformance.report.results import Result, result_from_json
from conformance.rules.judge import judge_case
from conformance.suite.session import Incidents
from conformance.suite.workbench import Workbench, items
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.drivers.test_driven import PREFIXED, PROGRAMS, Bench

CATALOGUE = Catalogue.shipped()
DYING = ["python", str(PROGRAMS / "dying.py")]
PLAYED = (*("any/refusal", "any/two-equal-messages"), *("any/reasoning", "any/call-between-texts"))
TRAITS = Traits(call_id_prefix="gw-")
GONE = "the adapter's process ended"


@pytest.fixture
def bench(groups: list[int], tmp_path: Path) -> Iterator[Bench]:
    with Workbench(CATALOGUE) as workbench:
        yield Bench(workbench, tmp_path)


def play(bench: Bench, way: str, concurrency: int) -> list[tuple[Case, Result]]:
    """The cases of an adapter that dies in a way, with their results."""
    adapter = bench.adapter(
        "dying",
        "stdio",
        [*DYING, way, str(bench.folder)],
        traits=PREFIXED,
        claims={"concurrency": concurrency},
    )
    found = [
        (item, item.case)
        for item in items(CATALOGUE, [adapter])
        if item.case and item.case.scenario.id in PLAYED
    ]
    assert len(found) == len(PLAYED)
    bench.workbench.look_ahead([item for item, _ in found])
    return [(case, bench.workbench.result(item)) for item, case in found]


@pytest.mark.parametrize(
    ("way", "concurrency", "words"),
    [
        ("once, at its third run", 1, f"{GONE} before it answered this run, after any/"),
        ("once, at its third run", 4, f"{GONE} while "),
        ("of two runs", 2, f"{GONE} while 2 runs were in flight (any/"),
    ],
)
def test_a_death_that_no_run_repeats_alone_is_one_finding(
    bench: Bench, way: str, concurrency: int, words: str
) -> None:
    results = play(bench, way, concurrency)
    failed = [(case, result) for case, result in results if result.status == "failed"]
    assert failed
    deaths = [i.n for _, each in results if each.transcript for i in each.transcript.incidents]
    assert len(deaths) == len(set(deaths)) == len(failed)
    for case, result in failed:
        (finding,) = result.findings
        assert (finding.rule, finding.level) == ("end-once", "must")
        assert message_of(finding).startswith(words)
        assert "it exited with 9; the last line on stderr: 'out of luck'" in message_of(finding)
        assert result.transcript
        assert [each.verdict for each in result.transcript.tries] == ["not-run", "completed"]
        assert result.transcript.verdict == "completed"
        recorded = result_from_json(result.to_json()).transcript
        assert recorded
        assert judge_case(case, recorded, TRAITS) == [finding]


DEATH = Incident(1, "ended", "it exited with 9", ("a", "b", "c"))
IDLE = Incident(2, "ended", "it exited with 0", after="a")


@pytest.mark.parametrize(
    ("repeated", "answers"),
    [
        ((False, False, False), (0, 0, 1)),
        ((True, False, False), (0, 0, 0)),
        ((False, True, False), (0, 0, 0)),
        ((False, False, True), (0, 0, 0)),
    ],
    ids=["nobody repeats it", "the first does", "the second does", "the last does"],
)
def test_the_last_run_answers_for_an_incident_unless_one_repeats_it(
    repeated: tuple[bool, ...], answers: tuple[int, ...]
) -> None:
    incidents = Incidents()
    found = [[*incidents.to_answer_for((DEATH,), repeated=each)] for each in repeated]
    assert tuple(map(len, found)) == answers


def test_an_incident_without_runs_in_flight_is_answered_for_by_who_reports_it() -> None:
    assert [*Incidents().to_answer_for((IDLE,), repeated=False)] == [IDLE]
