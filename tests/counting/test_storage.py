"""Each case has a storage folder of its own."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.drivers.python import PythonDriver
from conformance.suite.claims import CLAIMS, LIVE
from conformance.suite.counting.play import check
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.counting.counting_adapter import CountingAdapter
from tests.suite import PYTEST, STREAMPROOF, run_all

SOON = ("--deadline", "300")
COUNTED = "count/actual or count/limits or count/restart"
ONE_OF_EACH = "count/limits or any/refusal"
PROGRAM = Path(__file__).with_name("program.py")


class RecordsStorage(CountingAdapter):
    """Records the storage of each run and the files in it, and writes a file there."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[str]]] = []

    async def run(self, run: dict[str, Any], emit: Any, cancel: asyncio.Event) -> dict[str, Any]:
        self.note(run.get("storage", ""))
        return await self.plays.run(run, emit, cancel)

    def note(self, storage: str) -> None:
        there = [path.name for path in Path(storage).iterdir()] if storage else []
        self.seen.append((storage, there))
        if storage:
            Path(storage, "mine").write_text("here", "utf-8")


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped(), 3000) as bench:
        yield bench


def session_of(workbench: Workbench, adapter: CountingAdapter, claims: Claims) -> Session:
    path = Path("adapter.yaml")
    described = Description("it", {}, ("openresponses",), "vscode", path, Traits(), claims)
    return workbench.drive(described, PythonDriver(adapter))


def case_of(workbench: Workbench, id_: str) -> Case:
    scenario = workbench.catalogue.get(id_)
    assert scenario
    return Case(scenario, "openresponses")


def test_each_case_has_a_fresh_folder_that_is_deleted_after_it(workbench: Workbench) -> None:
    adapter = RecordsStorage()
    session = session_of(workbench, adapter, Claims(count=True, live=True, turns=True))
    run(session, case_of(workbench, "any/refusal"))
    run(session, case_of(workbench, "any/refusal"))
    CLAIMS[LIVE].check_with(session, LIVE, "openresponses")
    session.driver.close()
    folders = [folder for folder, _ in adapter.seen]
    assert len(set(folders)) == 3
    assert all(there == [] for _, there in adapter.seen)
    assert not any(Path(folder).exists() for folder in folders)


def test_the_turns_of_a_conversation_share_a_folder(workbench: Workbench) -> None:
    adapter = RecordsStorage()
    session = session_of(workbench, adapter, Claims(count=True, turns=True))
    scenarios = (entry.scenario for entry in workbench.catalogue.entries())
    several = next(s for s in scenarios if s and len(s.turns) > 1 and "any/" in s.id)
    run(session, Case(several, "openresponses"))
    session.driver.close()
    assert len(adapter.seen) == len(several.turns)
    assert len({folder for folder, _ in adapter.seen}) == 1
    assert [there for _, there in adapter.seen] == [[], *([["mine"]] * (len(several.turns) - 1))]


def test_an_adapter_that_does_not_count_has_no_folder(workbench: Workbench) -> None:
    adapter = RecordsStorage()
    session = session_of(workbench, adapter, Claims())
    run(session, case_of(workbench, "any/refusal"))
    session.driver.close()
    assert adapter.seen == [("", [])]


def test_a_sequence_does_not_see_the_state_of_another(workbench: Workbench) -> None:
    class Asked(CountingAdapter):
        seen: ClassVar[list[tuple[str, bool]]] = []

        def read(self, asked: dict[str, Any]) -> dict[str, Any]:
            state = super().read(asked)
            self.seen.append((asked["storage"], bool(state["known"])))
            return state

    session = session_of(workbench, Asked(), Claims(count=True))
    for _ in range(2):
        assert check(session, "count/restart").status == "passed"
    session.driver.close()
    firsts = dict(reversed(Asked.seen))
    assert list(firsts.values()) == [False, False]
    assert not any(Path(folder).exists() for folder in firsts)


# With a real process, in the output of the suite


def test_the_counts_of_a_program_are_judged(tmp_path: Path) -> None:
    adapters = {}
    for mode in ("well", "hangs", "forgets"):
        path = adapters[mode] = tmp_path / f"{mode}.yaml"
        drive = {"stdio": ["python", str(PROGRAM), mode]}
        value: dict[str, Any] = {"name": mode, "drive": drive, "dialects": ["openresponses"]}
        value |= {"vocabulary": "vscode", "claims": {"count": True}}
        path.write_text(json.dumps(value), "utf-8")
    ran = run_all(
        {
            "well": [*PYTEST, "--adapter", adapters["well"], "-k", COUNTED],
            "hangs": [*PYTEST, "--adapter", adapters["hangs"], *SOON, "-k", ONE_OF_EACH],
            "forgets": [*STREAMPROOF, "show", "count/restart", "--adapter", adapters["forgets"]],
        }
    )
    assert ran["well"].code == 0, ran["well"].text
    assert "2 passed, 1 skipped" in ran["well"].text
    assert ran["hangs"].code == 1
    unanswered = "✗ count-answered (must): a count was not answered, but ended as hung"
    assert unanswered in ran["hangs"].text
    assert "1 failed, 1 passed" in ran["hangs"].text
    assert f"  streamproof show count/limits --adapter {adapters['hangs']}" in (ran["hangs"].text)
    assert ran["forgets"].code == 1
    assert "✗ count-kept (must): before a restart a message that was sent had" in (
        ran["forgets"].text
    )
