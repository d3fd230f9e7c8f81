"""The suite against adapters that are programs: correct ones pass, and each claim is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.adapter import Description, read_description
from conformance.claims import CASE
from conformance.drivers.serve import ServeDriver
from conformance.play import Session
from conformance.recorder import Recorder
from conformance.results import Result
from conformance.suite import Item, Workbench, items, width, with_claims
from mockserver.faults import AdapterError
from mockserver.scenario.catalogue import Catalogue
from tests.drivers import PYTHON, message
from tests.drivers.cast import PRELUDE

CATALOGUE = Catalogue.shipped()
PROGRAMS = Path(__file__).parent / "programs"
REFUSES = """
def bad(run):
    say("unsupported", run, reason="not today")
well = bad
"""
IDLE = ""
PLAYS_ANYTHING = IDLE
# Of every kind one: text and calls, a failure, a refusal, a plain answer, cancellation.
SOME = ["any/parallel-calls", "any/refusal", "any/empty-answer"]


@dataclass
class Bench:
    """A workbench, and descriptions of adapters written where a test wants them."""

    workbench: Workbench
    folder: Path

    def adapter(self, name: str, way: str, argv: list[str], **more: object) -> Description:
        path = self.folder / f"{name}.yaml"
        value = {
            "name": name,
            "drive": {way: argv},
            "dialects": ["openresponses"],
            "vocabulary": "vscode",
            **more,
        }
        path.write_text(json.dumps(value), "utf-8")
        return read_description(path)

    def results(self, adapter: Description) -> dict[str, Result]:
        """Every item of the catalogue, as the suite plays it."""
        found = list(with_claims(items(CATALOGUE, [adapter])))
        self.workbench.look_ahead(found)
        return {item.id: self.workbench.result(item) for item in found}

    def result(self, adapter: Description, id_: str) -> Result:
        found = with_claims(items(CATALOGUE, [adapter]))
        return self.workbench.result(next(item for item in found if item.id == id_))


@pytest.fixture
def bench(groups: list[int], tmp_path: Path) -> Iterator[Bench]:
    with Workbench(CATALOGUE) as workbench:
        yield Bench(workbench, tmp_path)


def failures(results: dict[str, Result]) -> dict[str, object]:
    return {
        id_: result.findings or result.why
        for id_, result in results.items()
        if result.status not in ("passed", "not-applicable")
    }


def test_a_correct_adapter_passes_everything_over_stdio(bench: Bench, groups: list[int]) -> None:
    adapter = bench.adapter(
        "over-stdio",
        "stdio",
        ["python", str(PROGRAMS / "over_stdio.py")],
        traits={"call_id_prefix": "gw-"},
        claims={"live": True, "cancel": True, "concurrency": 8},
    )
    results = bench.results(adapter)
    assert failures(results) == {}
    assert results[CASE].status == "passed"
    assert sum(result.status == "passed" for result in results.values()) > 100
    assert len(groups) == 1


@pytest.mark.parametrize("id_", ["any/parallel-calls@openresponses", "any/refusal@openresponses"])
def test_a_correct_adapter_passes_as_a_program(bench: Bench, id_: str) -> None:
    adapter = bench.adapter(
        "by-exec",
        "exec",
        ["python", str(PROGRAMS / "by_exec.py")],
        traits={"call_id_prefix": "gw-"},
    )
    assert failures({id_: bench.result(adapter, id_)}) == {}


def test_a_gateway_that_passes_everything_on_passes_everything(bench: Bench) -> None:
    adapter = bench.adapter(
        "passing-on",
        "serve",
        [*PYTHON[:-1], str(PROGRAMS / "passing_on.py")],
        claims={"concurrency": 4},
    )
    results = bench.results(adapter)
    assert failures(results) == {}
    assert CASE not in results
