"""The suite spread over two hosts by pytest-xdist: the same verdicts as in one process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from execnet.script import socketserver

from tests.suite import DOUBLING, FEW, PATIENCE, environment, run, run_all, spoilt

_LISTENS = re.compile(r"Entering Accept loop \('127\.0\.0\.1', (\d+)\)")


@contextmanager
def host(folder: Path) -> Iterator[str]:
    """A server of execnet that has a folder of its own; yields how xdist names it."""
    folder.mkdir()
    command = [sys.executable, "-u", str(socketserver.__file__), "127.0.0.1:0"]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = _LISTENS.search(process.stdout.readline())
        assert found
        yield f"socket=127.0.0.1:{found[1]}"
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def verdicts(results: Path) -> dict[str, tuple[str, list[str]]]:
    lines = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    assert lines[-1]["kind"] == "footer"
    return {
        line["case"]: (line["status"], [finding["rule"] for finding in line["findings"]])
        for line in lines
        if line["kind"] == "result"
    }


def test_two_hosts_give_the_verdicts_of_one(tmp_path: Path) -> None:
    mine = spoilt(tmp_path, "doubling", DOUBLING)
    suite = ("-m", "pytest", "--pyargs", "conformance", "-q", "-p", "no:cacheprovider")
    few = ("-p", "tests.suite.few_scenarios")
    adapter = f"--adapter={mine}"
    with host(tmp_path / "left") as left, host(tmp_path / "right") as right:
        hosts = ("-d", "--tx", left, "--tx", right)
        spread = [*suite, *few, adapter, *hosts, "--results=two.jsonl"]
        ran = run_all({"two": spread}, tmp_path, fresh=True)["two"]
    alone = run(*FEW, adapter, "--results", tmp_path / "one.jsonl")
    assert (alone.code, ran.code) == (1, 1), ran.text
    one, two = verdicts(tmp_path / "one.jsonl"), verdicts(tmp_path / "two.jsonl")
    assert {"passed", "failed"} <= {status for status, _ in one.values()}
    assert two == one
