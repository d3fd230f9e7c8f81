"""The kit drives adapters in Node as it drives others."""

import shutil
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.suite import PYTEST, run_all

EXAMPLES = ROOT / "docs" / "node"


@pytest.fixture
def examples(project: Path) -> Path:
    """The adapters that the documentation shows, in a folder where the package is installed."""
    shutil.copytree(EXAMPLES, project, ignore=lambda *_: ["node_modules"], dirs_exist_ok=True)
    return project


def test_adapters_are_cancelled_and_answer_unsupported_for_other_dialects(examples: Path) -> None:
    only = "cancel or made-up or text-and-call-interleave"
    suite = {
        name: (*PYTEST, "-q", "-k", only, "--adapter", examples / f"{name}.yaml")
        for name in ("acme", "fetch")
    }
    for name, ran in run_all(suite).items():
        assert ran.code == 0, f"{name}:\n{ran.text}"


def test_a_provider_that_reports_a_tool_result_has_a_finding(examples: Path) -> None:
    extension = examples / "acme" / "extension.js"
    source = extension.read_text("utf-8")
    wrong = source.replace(
        "new vscode.LanguageModelToolCallPart(item.call_id, item.name, input)",
        "new vscode.LanguageModelToolResultPart(item.call_id, [])",
    )
    assert wrong != source
    extension.write_text(wrong, "utf-8")
    suite = (*PYTEST, "-q", "-k", "text-and-call-interleave", "--adapter", examples / "acme.yaml")
    ran = run_all({"acme": suite})["acme"]
    assert ran.code == 1
    assert "a toolResult 'call_1' came out: a provider reports" in ran.text
