"""LiteLLM's proxy plays cases of the suite with the two files that the guide for gateways shows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

_NEEDED = "litellm[proxy]==1.106.2"
_CASES = "any/text-and-call-interleave or any/conversation-two-rounds or claims"


@pytest.mark.installs
def test_the_suite_plays_through_a_proxy_that_is_started_once(tmp_path: Path) -> None:
    shown = [each for each in blocks("docs/gateway.md") if each.file.startswith("my-litellm/")]
    for block in shown:
        tmp_path.joinpath(Path(block.file).name).write_text(block.content, "utf-8")
    programs = tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    subprocess.run([str(programs / "pip"), "install", "-q", _NEEDED], check=True)
    suite = [sys.executable, "-m", "pytest", "conformance", "-q", "-p", "no:cacheprovider"]
    adapter = ["--adapter", str(tmp_path / "adapter.yaml"), "--start-deadline", "120000"]
    path = f"{os.environ['PATH']}{os.pathsep}{programs}"
    ran = subprocess.run(
        [*suite, *adapter, "-k", _CASES],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert " failed" not in ran.stdout
