"""An adapter, a list and results from when the dialect ``chat`` was called ``copilot``.

The stored results were written by the release of that time, and the list matched them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.contract.recorded import parse_runs, read_results
from conformance.rules.judge import judge_case
from conformance.suite.adapter_yaml import read_description
from conformance.suite.conclusion import conclude
from conformance.suite.known_failures import KnownFailure, read_list
from conformance.suite.workbench import Item, Workbench
from mockserver.faults import Place
from mockserver.render import case
from mockserver.scenario.case import parse
from mockserver.scenario.catalogue import Catalogue
from mockserver.scenario.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator

STORED = Path(__file__).resolve().parents[1] / "stored" / "before-chat"
CASES = [
    "any/parallel-calls-end-in-reverse@chat",
    "any/text-and-call-interleave@chat",
    "chat/blank-names-in-later-fragments@chat",
]


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped()) as opened:
        yield opened


@pytest.mark.parametrize("id_", CASES)
def test_the_adapter_is_run_with_the_name_it_declares_and_its_list_matches(
    workbench: Workbench, id_: str
) -> None:
    adapter = read_description(STORED / "adapter.yaml")
    assert adapter.dialects == ("chat",)
    asked = parse(id_)
    scenario = workbench.catalogue.get(asked.scenario)
    assert scenario
    item = Item(id_, adapter, case(scenario, asked))
    result = workbench.result(item)
    # The adapter answers ``unsupported`` for any name but its own.
    assert result.transcript
    assert result.transcript.verdict == "completed"
    assert adapter.known_failures
    concluded = conclude(item, result, read_list(adapter.known_failures), ("must",))
    assert concluded.status == "known"


def test_results_are_read_and_judged_under_the_new_name() -> None:
    results = [recorded.result for recorded in read_results(STORED / "results.jsonl").results]
    assert [result.case for result in results] == CASES
    catalogue = Catalogue.shipped()
    for run in parse_runs((STORED / "results.jsonl").read_bytes(), "results.jsonl").runs:
        assert run.transcript
        asked = parse(run.transcript.case)
        scenario = catalogue.get(asked.scenario)
        assert scenario
        assert run.traits
        found = judge_case(case(scenario, asked), run.transcript, run.traits)
        before = next(r.findings for r in results if r.case == run.transcript.case)
        assert [(f.rule, f.message) for f in found] == [(f.rule, f.message) for f in before]


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        ("chat/annex@chat", True),
        ("copilot/annex@copilot", True),
        ("copilot/*", True),
        ("copilot/**", True),
        ("chat/*@copilot", True),
        ("**@copilot", True),
        ("**@cop*", True),
        ("**+copilot", False),
        ("**@openresponses", False),
    ],
)
def test_known_failures_match_either_name_also_as_patterns(pattern: str, covers: bool) -> None:
    assert KnownFailure(pattern, "call-once", "", Place("")).covers("chat/annex@chat") is covers


def test_scenario_files_may_use_the_former_name_as_folder_and_in_dialects() -> None:
    text = "{title: Hello, source: [s], turns: [{says: [{text: Hello}]}]%s}"
    listed = load((text % ", dialects: [copilot, chat, openresponses]").encode(), "f", "any/x")
    assert listed.dialects == ("chat", "openresponses")
    turn = "{sends: [{delta: {content: Hello}}], expect: {parts: []}}"
    chunk = f"{{title: Hello, source: [s], turns: [{turn}]}}"
    assert load(chunk.encode(), "f", "copilot/x").dialects == ("chat",)
