"""Programs that play one run each: their lines are parts, their exit codes are endings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.contract.transcript import ReportedError, Verdict
from conformance.drivers.exec import ExecDriver
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError
from tests.drivers import PATIENCE, PYTHON, Played, message, values

Start = Callable[[str], ExecDriver]

PART = """print('{"type": "text", "value": "Hello"}', flush=True)"""
ENDS: list[tuple[str, Verdict, str]] = [
    ("raise SystemExit(0)", "completed", ""),
    ("import os; os._exit(0)", "completed", ""),
    ("raise SystemExit('overloaded')", "failed", "overloaded"),
    ("import sys; sys.exit(127)", "unsupported", ""),
    ("import sys; sys.exit(3)", "crashed", "it exited with 3, which is no ending: 0 says"),
    ("import os; os.kill(os.getpid(), 9)", "crashed", "it was ended by SIGKILL"),
    ("import os; os.kill(os.getpid(), 15)", "crashed", "it was ended by SIGTERM"),
    ("print('starting')", "broke-protocol", "that is not JSON: 'starting'; logs go to stderr"),
    ("print('[1]')", "broke-protocol", "it wrote a list, where a part is a JSON object: [1]"),
    ("print('x' * (2 << 20))", "broke-protocol", "a line of more than 1 MiB"),
    ("import time; time.sleep(60)", "timed-out", ""),
    (
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)",
        "hung",
        "did not answer its cancellation",
    ),
    ("import os, time; os.fork() or time.sleep(60)", "completed", ""),
]


@pytest.mark.parametrize(("source", "verdict", "words"), ENDS, ids=[e[0] for e in ENDS])
def test_an_exit_code_is_a_verdict(exec_: Start, source: str, verdict: Verdict, words: str) -> None:
    soon = verdict in ("timed-out", "hung")
    recorder = Recorder()
    driver = exec_(f"{PART}\n{source}")
    outcome = driver.run(message("r-1", deadline_ms=300 if soon else 10_000), recorder)
    assert outcome.verdict == verdict
    assert words in "\n".join(outcome.notes)
    assert values(recorder) == ["Hello"]
    driver.close()


def test_the_last_line_on_stderr_is_the_reason_of_a_failure(exec_: Start) -> None:
    outcome = exec_("import sys; print('warming up', file=sys.stderr); sys.exit('no')").run(
        message("r-1"), Recorder()
    )
    assert outcome.ends[0].error == ReportedError("unknown", "no")


def test_a_last_part_needs_no_line_break(exec_: Start) -> None:
    recorder = Recorder()
    driver = exec_(PART.replace("flush=True", "end=''"))
    assert driver.run(message("r-1"), recorder).verdict == "completed"
    assert values(recorder) == ["Hello"]


def test_the_request_is_in_the_environment(exec_: Start) -> None:
    recorder = Recorder()
    exec_(
        "import os, json; run = json.loads(os.environ['MOCK_REQUEST'])\n"
        "print(json.dumps({'value': [run['id'], run['model'], os.environ['MOCK_BASE_URL']]}))"
    ).run(message("r-1"), recorder)
    assert values(recorder) == [["r-1", "good", "http://127.0.0.1:9/r/x/v1"]]


@pytest.mark.parametrize(
    ("tail", "verdict"),
    [
        ("", "cancelled"),
        ("signal.signal(15, lambda *_: sys.exit(143))", "cancelled"),
        ("signal.signal(15, lambda *_: sys.exit(0))", "completed"),
        ("signal.signal(15, lambda *_: sys.exit(1))", "failed"),
    ],
)
def test_sigterm_cancels(exec_: Start, tail: str, verdict: Verdict) -> None:
    driver = exec_(f"import signal, sys, time\n{tail}\n{PART}\ntime.sleep(60)")
    played = Played(driver, message("r-1"))
    assert played.began.wait(PATIENCE)
    driver.cancel("r-1")
    assert played.outcome().verdict == verdict
    assert played.recorder.cancelled is not None


@pytest.mark.parametrize("name", ["no-such-program", "./no-such-program", "adapter.yaml"])
def test_a_missing_program_is_reported_before_any_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "adapter.yaml").write_text("name: this is no program\n", "utf-8")
    driver = ExecDriver([name], tmp_path)
    with pytest.raises(AdapterError, match="cannot be started: there is no such program"):
        driver.hello()
    outcome = driver.run(message("r-1"), Recorder())
    assert outcome.verdict == "not-run"
    assert "cannot be started" in outcome.notes[0]


def test_a_program_beside_its_description_is_found(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\nexit 0\n", "utf-8")
    script.chmod(0o755)
    driver = ExecDriver(["./run.sh"], tmp_path)
    assert driver.hello()["adapter"]["name"] == "./run.sh"
    assert driver.run(message("r-1"), Recorder()).verdict == "completed"


def test_runs_do_not_wait_for_each_other(exec_: Start) -> None:
    driver = exec_(f"{PART}\nimport time; time.sleep(60)")
    several = [Played(driver, message(f"r-{n}")) for n in range(3)]
    assert all(played.began.wait(PATIENCE) for played in several)
    for n, played in enumerate(several):
        driver.cancel(f"r-{n}")
        assert played.outcome().verdict == "cancelled"


def test_the_command_python_is_the_python_of_the_kit(exec_: Start, tmp_path: Path) -> None:
    recorder = Recorder()
    source = "import sys, json; print(json.dumps({'value': sys.prefix}))"
    ExecDriver(["python", *PYTHON[1:], source], tmp_path).run(message("r-1"), recorder)
    mine = Recorder()
    exec_(source).run(message("r-2"), mine)
    assert values(recorder) == values(mine)
