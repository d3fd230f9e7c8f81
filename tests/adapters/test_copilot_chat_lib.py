"""Copilot Chat's own parser, driven by the kit: what it reads, and the kit's findings about it.

The defects are those of the compiled SSEProcessor (@vscode/chat-lib 0.66.0), which was also run
alone.
"""

import fcntl
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.clients.npm import needs_node
from tests.docs.pages import ROOT
from tests.suite import PYTEST, run_all

pytestmark = pytest.mark.installs

NAME = "copilot-chat-lib"
BINDING = ROOT / "adapters" / NAME
_SECONDS = 180

Results = Mapping[str, Any]

READ = (
    "chat/annex", "chat/empty-tool-calls", "chat/text-and-call-in-two-choices",
    "any/call-between-texts", "any/conversation-three-rounds-of-tools", "any/cut-short-by-length",
    "any/reasoning", "any/sixty-four-calls", "any/unicode-and-large-numbers",
)  # fmt: skip

FOUND = {
    # The index of a call is ignored.
    "chat/calls-interleave-by-index": "call-complete",
    "any/parallel-calls-end-in-reverse": "call-complete",
    # Calls of all choices are in one buffer.
    "chat/calls-in-two-choices": "end-honest",
    # Content in the same chunk as calls is dropped.
    "chat/content-beside-tool-calls": "text-exact",
    # Thinking in one chunk with the first call is emitted twice.
    "chat/thinking-beside-tool-calls": "thinking-routed",
    # A refusal is not read.
    "any/refusal": "refusal-routed",
    # Content that has arrived before the cancellation is emitted after it.
    "any/cancel-in-a-burst": "cancel-stops",
    # An error object after text is overwritten by the bare end of the stream.
    "chat/error-after-text": "error-told",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The suite's results for the cases in ``READ`` and ``FOUND``, by case id."""
    _install()
    path = tmp_path_factory.mktemp("results") / "results.jsonl"
    named = " or ".join(id_.partition("/")[2] for id_ in (*READ, *FOUND))
    adapter = ("--adapter", BINDING / "adapter.yaml", "--results", path)
    ran = run_all({NAME: (*PYTEST, "-q", "-k", named, *adapter)})[NAME]
    found = {
        line["case"]: line
        for line in map(json.loads, path.read_text("utf-8").splitlines())
        if line["kind"] == "result"
    }
    assert found, ran.text
    return found


def _install() -> None:
    needs_node()
    with (BINDING / "package-lock.json").open("rb") as lock:
        # pytest-xdist's workers share the folder.
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = BINDING / "node_modules" / ".package-lock.json"
        if installed.exists():
            return
        command = [sys.executable, str(BINDING.parent / "install.py"), NAME]
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    if done.returncode:
        pytest.skip(f"@vscode/chat-lib cannot be installed: {done.stderr[-500:]!r}")


@pytest.mark.parametrize("id_", READ)
def test_it_reads_what_the_proxy_sends(results: Results, id_: str) -> None:
    result = results[f"{id_}@chat"]
    assert result["findings"] == []
    assert result["status"] == "passed"


@pytest.mark.parametrize(("id_", "rule"), FOUND.items(), ids=FOUND)
def test_its_defects_are_found(results: Results, id_: str, rule: str) -> None:
    result = results[f"{id_}@chat"]
    assert rule in {finding["rule"] for finding in result["findings"]}
    # A failure is a known one; a finding of level should leaves the case green.
    must = any(finding["level"] == "must" for finding in result["findings"])
    assert result["status"] == ("known" if must else "passed")
