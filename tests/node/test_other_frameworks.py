"""Adapters can be tested in other frameworks: an example in vitest, and schemas in ajv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, SentEvent
from conformance.dialects.ledger import ledger
from conformance.expectation.expected_parts import expected_parts
from conformance.expectation.reading_schema import compile_schema
from conformance.expectation.turn_content import expected_contents
from conformance.rules.judge import expectations
from conformance.vocabularies import VSCODE
from mockserver.dialects import DIALECTS
from mockserver.render import Case, render
from mockserver.scenario.catalogue import Catalogue
from mockserver.wire.slots import filled
from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT

pytestmark = pytest.mark.installs

VITEST = ROOT / "docs" / "vitest"
AJV = Path(__file__).with_name("ajv")
PATIENCE = 180
# A reading that every compiled expectation must refuse.
NOTHING: dict[str, Any] = {"text": 7, "thinking": "", "calls": [], "data": [], "citations": []}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The example in a folder of its own."""
    needs_node()
    install(VITEST)
    for file in VITEST.glob("*.*"):
        shutil.copy(file, tmp_path)
    tmp_path.joinpath("node_modules").symlink_to(VITEST / "node_modules")
    return tmp_path


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of `streamproof serve` with its verdict routes."""
    command = [sys.executable, "-m", "streamproof", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield server.stdout.readline().split()[-1]
        server.terminate()


def vitest(project: Path, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["npx", "--no-install", "vitest", "run", "--no-color"],
        cwd=project,
        env={**os.environ, "MOCK": url, "NO_COLOR": "1", "CI": "true"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_the_example_in_vitest_passes(project: Path, url: str) -> None:
    ran = vitest(project, url)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "4 passed" in ran.stdout


def test_the_example_in_vitest_fails_for_an_adapter_that_hides_failures(
    project: Path, url: str
) -> None:
    adapter = project / "adapter.mjs"
    source = adapter.read_text("utf-8")
    spoilt = source.replace('outcome: "failed"', 'outcome: "completed"')
    assert spoilt != source
    adapter.write_text(spoilt, "utf-8")
    ran = vitest(project, url)
    assert ran.returncode == 1
    assert "2 failed | 2 passed" in ran.stdout
    assert "end-honest" in ran.stdout + ran.stderr


def _right(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """The compiled expectation of a case, and the reading of a correct adapter."""
    accounts = expectations(case, expected_contents(case.scenario), Traits())
    content, expected = accounts[0]
    sample = DIALECTS[case.dialect].sample()
    sent = tuple(
        SentEvent(s.n, s.at, s.kind, s.type, filled(s.data, sample), s.ignorable)
        for s in render(case, 0, content.attempt).plan.sent
    )
    ideal = expected_parts(ledger(case.dialect, sent, Traits()), expected, "vscode", Traits())
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
