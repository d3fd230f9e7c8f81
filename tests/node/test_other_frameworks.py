"""Code can be tested in other frameworks: vitest, jest, node:test, and with schemas in ajv."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import streamproof
from conformance.contract.traits import Traits
from conformance.contract.transcript import End
from conformance.dialects.ledger import ledger
from conformance.dialects.recording import sample_events
from conformance.expectation.expected_parts import expected_parts
from conformance.expectation.projection import expectations
from conformance.expectation.reading_schema import compile_schema
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT

pytestmark = pytest.mark.installs

VITEST = ROOT / "docs" / "vitest"
VITEST_RUN = ("npx", "--no-install", "vitest", "run", "--no-color")
AI_SDK = ROOT / "docs" / "vercel"
JEST = Path(__file__).with_name("jest")
AJV = Path(__file__).with_name("ajv")
PATIENCE = 180
SILENT = """(async function* () {
      for await (const part of fullStream) if (part.type !== "error") yield part;
    })()"""
# A reading that every compiled expectation must refuse.
NOTHING: dict[str, Any] = {"text": 7, "thinking": "", "calls": [], "data": [], "citations": []}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of a mock server."""
    with streamproof.serve() as mock:
        yield mock.url


def copied(project: Path, place: Path) -> Path:
    """A project of npm in a folder of its own, with its packages installed."""
    needs_node()
    install(project)
    for file in project.glob("*.*"):
        shutil.copy(file, place)
    place.joinpath("node_modules").symlink_to(project / "node_modules")
    return place


def ran(place: Path, url: str, *command: str) -> tuple[int, str]:
    """The exit code and the output of a command in a project."""
    done = subprocess.run(
        command,
        cwd=place,
        env={**os.environ, "STREAMPROOF_URL": url, "NO_COLOR": "1", "CI": "true"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def spoil(file: Path, right: str, wrong: str) -> None:
    source = file.read_text("utf-8")
    assert right in source
    file.write_text(source.replace(right, wrong), "utf-8")


def test_the_example_in_vitest_passes(tmp_path: Path, url: str) -> None:
    code, said = ran(copied(VITEST, tmp_path), url, *VITEST_RUN)
    assert code == 0, said
    assert "4 passed" in said


def test_the_vitest_example_fails_if_an_adapter_hides_failures(tmp_path: Path, url: str) -> None:
    place = copied(VITEST, tmp_path)
    spoil(place / "adapter.mjs", 'outcome: "failed"', 'outcome: "completed"')
    code, said = ran(place, url, *VITEST_RUN)
    assert code == 1
    assert "2 failed | 2 passed" in said
    assert "✗ end-honest (must)" in said


def test_a_test_in_jest_gets_verdicts_and_shows_the_timeline(tmp_path: Path, url: str) -> None:
    code, said = ran(copied(JEST, tmp_path), url, "npx", "--no-install", "jest")
    assert code == 1, said
    assert "1 failed, 2 passed" in said
    assert "✗ text-exact (must)" in said
    assert "Difference" not in said


@pytest.mark.parametrize(
    ("example", "right", "wrong", "rule"),
    [
        ("parts", 'type: "thinking"', 'type: "text"', "thinking-routed"),
        ("chat", "callId: toolCallId", 'callId: "1"', "call-"),
        ("full-stream", "run.check(fullStream)", f"run.check({SILENT})", "end-honest"),
        ("everywhere", "check(text)", 'check("")', "text-exact"),
        ("tools", "callId, name", 'callId: "1", name', "call-"),
    ],
)
def test_an_example_of_the_ai_sdk_fails_for_code_that_is_wrong(
    tmp_path: Path, url: str, example: str, right: str, wrong: str, rule: str
) -> None:
    place = copied(AI_SDK, tmp_path)
    test = place / f"{example}.test.mjs"
    spoil(test, right, wrong)
    code, said = ran(place, url, "node", "--test", test.name)
    assert code == 1, said
    assert f"✗ {rule}" in said


def _right(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """The compiled expectation of a case, and the reading of a correct adapter."""
    accounts = expectations(case, Traits())
    content, expected = accounts[0]
    sent = sample_events(render(case, 0, content.attempt).plan, case.dialect)
    ideal = expected_parts(ledger(case.dialect, sent, Traits()), expected, VSCODE, Traits())
    finish = expected.reason or ("other" if expected.upstream == "incomplete" else None)
    end = End(1.0, expected.outcomes[0], finish)  # type: ignore[arg-type]
    reading = VSCODE.read([part for part, _ in ideal], end).to_json()
    return compile_schema([each for _, each in accounts]), reading


def test_ajv_agrees_with_the_kit_about_every_compiled_expectation() -> None:
    needs_node()
    install(AJV)
    scenarios = [e.scenario for e in Catalogue.shipped().entries() if e.scenario]
    cases = [Case(scenario, dialect) for scenario in scenarios for dialect in scenario.dialects]
    judged = [_right(case) for case in cases]
    lines = [
        json.dumps({"schema": schema, "readings": [reading, {**NOTHING, "outcome": "completed"}]})
        for schema, reading in judged
    ]
    ran = subprocess.run(
        ["node", "judge.mjs"],
        cwd=AJV,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    verdicts = [json.loads(line) for line in ran.stdout.splitlines()]
    wrong = {str(c): t for c, t in zip(cases, verdicts, strict=True) if t != [True, False]}
    assert wrong == {}
