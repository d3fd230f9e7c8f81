"""Programs that misbehave: each run has one verdict, and no run beside or after it is affected."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.drivers.child import MAX_STDERR
from conformance.drivers.driver import Outcome
from conformance.drivers.escaped import processes
from conformance.drivers.recorder import Recorder
from conformance.drivers.stdio import StdioDriver
from mockserver.foundation.faults import AdapterError
from tests.drivers import HAS_PROC, PATIENCE, PYTHON, Played, alive, happens, message, values
from tests.drivers.misbehaving import PRELUDE, PROGRAMS, REFUSED, SOON, Program

Start = Callable[..., StdioDriver]

_OTHERS = "what it has started is still running"


def judged(driver: StdioDriver, played: Played, again: str, deadline_ms: int = 10_000) -> Outcome:
    """The outcome of a run; it is played again alone if its verdict was ``not-run``."""
    outcome = played.outcome()
    if outcome.verdict != "not-run":
        return outcome
    run = message(f"{again}-again", again, deadline_ms)
    return driver.run(run, Recorder(), "alone")


def cancelled_after(recorder: Recorder) -> int | None:
    """How many parts were emitted when the adapter received its cancellation; None if never."""
    return recorder.cancelled.parts if recorder.cancelled else None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_runs_beside_each_other_have_their_own_verdicts(stdio: Start, program: Program) -> None:
    driver = stdio(program.source)
    beside = Played(driver, message("r-1", "waits"))
    assert beside.began.wait(PATIENCE)
    bad = Played(driver, message("r-2", "bad", program.deadline_ms))
    outcome = judged(driver, bad, "bad", program.deadline_ms)
    assert outcome.verdict == program.verdict, outcome
    assert program.words in "\n".join(outcome.notes)
    assert judged(driver, beside, "good").verdict == "completed"
    recorder = Recorder()
    assert driver.run(message("r-3"), recorder).verdict == "completed"
    assert values(recorder) == ["Hello"]


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.name)
def test_a_program_without_a_hello_cannot_be_driven(stdio: Start, program: Program) -> None:
    with pytest.raises(AdapterError) as raised:
        stdio(program.source, hello_seconds=0.2 if "never" in program.name else 10).hello()
    assert program.words in str(raised.value)
    assert "To try: " in str(raised.value)


def test_a_missing_program_is_reported_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="'no-such-program' cannot be started: No such file"):
        StdioDriver(["no-such-program", "x"], tmp_path).hello()


def test_two_endings_are_both_recorded(stdio: Start) -> None:
    twice = 'bad = lambda run: write(2 * line("done", run, outcome="completed"))'
    outcome = stdio(twice).run(message("r-1", "bad"), Recorder())
    assert [end.outcome for end in outcome.ends] == ["completed", "completed"]


def test_a_part_after_the_ending_is_recorded_after_it(stdio: Start) -> None:
    late = """
def bad(run):
    write(line("done", run, outcome="completed") + line("part", run, **text("late")))
"""
    recorder = Recorder()
    outcome = stdio(late).run(message("r-1", "bad"), recorder)
    (emitted,) = recorder.parts()
    assert emitted.part["value"] == "late"
    assert emitted.at >= outcome.ends[0].at


def test_only_the_end_of_stderr_is_reported(stdio: Start) -> None:
    floods = next(program for program in PROGRAMS if program.name == "floods stderr")
    driver = stdio(f"{floods.source}\nwell = lambda run: os._exit(1)")
    outcome = driver.run(message("r-1", "bad"), Recorder())
    (_, note) = outcome.notes
    assert note.endswith("the last word")
    assert MAX_STDERR // 2 < len(note) <= MAX_STDERR + 100


def test_stderr_is_said_to_be_of_the_run_only_if_no_other_was_beside_it(stdio: Start) -> None:
    speaks = """
def bad(run):
    sys.stderr.write("hello\\n")
    sys.stderr.flush()
    say("done", run, outcome="completed")
"""
    driver = stdio(speaks)
    alone = driver.run(message("r-1", "bad"), Recorder())
    waiting = Played(driver, message("r-2", "waits"))
    assert waiting.began.wait(PATIENCE)
    beside = driver.run(message("r-3", "bad"), Recorder())
    assert alone.notes == ("on stderr it said:\nhello",)
    assert beside.notes == (
        "on stderr the adapter's process said, during this run or others beside it:\nhello",
    )


def test_one_process_plays_many_runs(stdio: Start, groups: list[int]) -> None:
    driver = stdio("bad = well")
    driver.hello()
    assert [driver.run(message(f"r-{n}"), Recorder()).verdict for n in range(20)] == [
        "completed"
    ] * 20
    assert len(groups) == 1


def test_a_process_that_ends_after_each_run_is_replaced(stdio: Start, groups: list[int]) -> None:
    exits = """
def well(run):
    say("done", run, outcome="completed")
    os._exit(0)
"""
    driver = stdio(exits)
    for n in range(4):
        outcome = driver.run(message(f"r-{n}"), Recorder())
        if outcome.verdict == "not-run":
            outcome = driver.run(message(f"r-{n}-again"), Recorder(), "alone")
        assert outcome.verdict == "completed"
    assert len(groups) == 4


def test_later_runs_of_a_program_started_once_are_unplayed(stdio: Start, tmp_path: Path) -> None:
    once = """
if os.path.exists("started"):
    sys.exit("started before")
open("started", "w").close()
bad = lambda run: os._exit(1)
"""
    driver = stdio(once)
    assert driver.run(message("r-1", "bad"), Recorder()).verdict == "crashed"
    for n in (2, 3):
        outcome = driver.run(message(f"r-{n}"), Recorder(), "alone")
        assert outcome.verdict == "not-run"
        assert "on stderr it said:\nstarted before" in outcome.notes[0]


def test_a_program_that_ignores_bye_is_killed(stdio: Start) -> None:
    driver = stdio("bye = forever")
    assert driver.run(message("r-1"), Recorder()).verdict == "completed"
    driver.close()
    assert driver.left_running == "it is still running"


@pytest.mark.parametrize(
    ("bye", "left"),
    [
        ("bye = sys.exit", ""),
        ("bye = lambda: os.fork() and sys.exit() or forever()", _OTHERS),
        ("bye = lambda: os.fork() and sys.exit() or (quiet(), forever())", _OTHERS),
        ("bye = lambda: os.fork() and sys.exit() or os._exit(0)", ""),
    ],
    ids=["exits", "leaves a child", "leaves a child that holds no pipe", "its child leaves, too"],
)
def test_child_processes_that_outlive_bye_are_reported(stdio: Start, bye: str, left: str) -> None:
    quiet = "quiet = lambda: [os.close(n) for n in (0, 1, 2)]"
    driver = stdio(f"{quiet}\n{bye}")
    driver.hello()
    driver.close()
    assert driver.left_running == left


def test_every_line_is_passed_to_the_listener_with_its_direction(tmp_path: Path) -> None:
    lines: list[tuple[str, str]] = []
    source = f"{PRELUDE}\nserve()"
    driver = StdioDriver(
        [*PYTHON, source],
        tmp_path,
        listener=lambda direction, line: lines.append((direction, json.loads(line)["type"])),
    )
    driver.hello()
    driver.run(message("r-1"), Recorder())
    driver.close()
    driver.close()
    assert lines[:3] == [("→", "hello"), ("←", "hello"), ("→", "run")]
    assert set(lines[3:-2]) == {("←", "part")}
    assert lines[-2:] == [("←", "done"), ("→", "bye")]


def test_a_cancellation_counts_from_when_the_adapter_receives_it(stdio: Start) -> None:
    obeys = """
def bad(run):
    say("part", run, **text())
    until("cancel")
    say("cancelling", run)
    say("done", run, outcome="cancelled")
"""
    driver = stdio(obeys)
    played = Played(driver, message("r-1", "bad"))
    assert played.began.wait(PATIENCE)
    driver.cancel("r-0")
    assert cancelled_after(played.recorder) is None
    driver.cancel("r-1")
    assert played.outcome().verdict == "cancelled"
    assert cancelled_after(played.recorder) == 1


def test_a_timeout_is_not_a_cancellation_by_the_host(stdio: Start) -> None:
    obeys = """
def bad(run):
    until("cancel")
    say("cancelling", run)
    say("done", run, outcome="cancelled")
"""
    recorder = Recorder()
    outcome = stdio(obeys).run(message("r-1", "bad", SOON), recorder)
    assert outcome.verdict == "timed-out"
    assert cancelled_after(recorder) is None


LATER = """
import threading

def later(what):
    threading.Timer(0.1, lambda: (what(), open("happened", "w").close())).start()
"""

BETWEEN_RUNS = [
    ("dies", "lambda: os._exit(3)", "ended", "it exited with 3"),
    (
        "prints a line",
        "lambda: write('done.\\n')",
        "invalid-line",
        "it wrote a line to stdout that is not JSON",
    ),
    ("emits another part", "lambda: say('part', run, **text('late', 1))", "late-message", "a part"),
    (
        "ends the run again",
        "lambda: say('done', run, outcome='completed')",
        "late-message",
        "a done message",
    ),
]


@pytest.mark.parametrize(
    ("what", "kind", "words"), [b[1:] for b in BETWEEN_RUNS], ids=[b[0] for b in BETWEEN_RUNS]
)
def test_what_a_program_does_between_runs_goes_with_the_next_outcome(
    stdio: Start, groups: list[int], tmp_path: Path, what: str, kind: str, words: str
) -> None:
    driver = stdio(f"{LATER}\nbad = lambda run: (well(run), later({what}))")
    first = driver.run(message("r-1", "bad"), Recorder("first"))
    assert (first.verdict, first.incidents) == ("completed", ())
    assert happens(lambda: (tmp_path / "happened").exists() or not alive(groups[0]))
    assert happens(lambda: bool(driver.incidents._unreported))
    # A run that plays no case has nowhere to report it.
    assert driver.run(message("r-2"), Recorder(), "alone").incidents == ()
    second = driver.run(message("r-3"), Recorder("second"))
    assert second.verdict in ("completed", "not-run")
    (incident,) = second.incidents
    assert (incident.kind, incident.after, incident.in_flight) == (kind, "first", ())
    assert incident.what.startswith(words)
    assert driver.run(message("r-4"), Recorder("third"), "fresh").incidents == ()


def test_a_part_that_comes_shortly_after_the_ending_belongs_to_its_run(stdio: Start) -> None:
    source = """
def bad(run):
    well(run)
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        pass
    say("part", run, **text("late", 1))
"""
    recorder = Recorder()
    outcome = stdio(source).run(message("r-1", "bad"), recorder)
    assert values(recorder) == ["Hello", "late"]
    assert outcome.incidents == ()


def test_a_run_does_not_pay_for_the_restart_before_it(stdio: Start, groups: list[int]) -> None:
    driver = stdio("time.sleep(1)\nbad = lambda run: forever()")
    assert driver.run(message("r-1", "bad", SOON), Recorder()).verdict == "hung"
    outcome = driver.run(message("r-2"), Recorder())
    assert (outcome.verdict, len(groups)) == ("completed", 2)
    assert outcome.ends[0].at < 1


def test_a_fresh_run_gets_a_process_that_has_played_nothing(
    stdio: Start, groups: list[int]
) -> None:
    driver = stdio("bad = well")
    assert driver.run(message("r-1"), Recorder(), "fresh").verdict == "completed"
    assert len(groups) == 1
    assert driver.run(message("r-2"), Recorder()).verdict == "completed"
    assert driver.run(message("r-3"), Recorder(), "fresh").verdict == "completed"
    assert len(groups) == 2


ESCAPE = """
def escape(*command):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for n in (0, 1, 2):
            os.close(n)
        open("escaped", "w").write(str(os.getpid()))
        forever()

def spawn_without_environment(run):
    if os.fork() == 0:
        os.setsid()
        open("escaped", "w").write(str(os.getpid()))
        os.execve("/bin/sleep", ["sleep", "60"], {})
"""


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
@pytest.mark.parametrize(
    "how",
    [
        "lambda run: (escape(), well(run))",
        "lambda run: (spawn_without_environment(run), well(run))",
    ],
    ids=["a daemon", "a process of another session that has no environment"],
)
def test_a_process_outside_the_group_is_ended_and_reported(
    stdio: Start, tmp_path: Path, how: str
) -> None:
    driver = stdio(f"{ESCAPE}\nbad = {how}")
    assert driver.run(message("r-1", "bad"), Recorder()).verdict == "completed"
    assert happens(lambda: (tmp_path / "escaped").exists() and (tmp_path / "escaped").read_text())
    pid = int((tmp_path / "escaped").read_text())
    driver.close()
    assert pid not in [process.pid for process in processes()]
    (left,) = driver.left_behind()
    assert f"(process {pid}) was still running outside of the adapter's process group" in left


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_processes_of_others_are_not_taken_for_the_adapters(stdio: Start) -> None:
    other = subprocess.Popen([*PYTHON, "import time; time.sleep(60)"], start_new_session=True)
    try:
        driver = stdio("bad = well")
        driver.run(message("r-1"), Recorder())
        driver.close()
        assert driver.left_behind() == ()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(PATIENCE)


async def test_what_was_written_before_a_request_is_recorded_before_it(stdio: Start) -> None:
    """The reader is kept from reading, as on a busy machine, until somebody waits for it."""
    driver = stdio("""
def bad(run):
    say("part", run, **text("first"))
    until("go")
    say("part", run, **text("second", 1))
    until("cancel")
    say("done", run, outcome="cancelled")
""")
    driver.hello()
    process = driver._process
    assert process is not None
    played = Played(driver, message("r-1", "bad"))
    assert played.began.wait(PATIENCE)
    with process._lock:
        process.child.write(b'{"type": "go"}\n')
        assert happens(lambda: process.child.has_unhandled)
        assert values(played.recorder) == ["first"]
        waiting = asyncio.ensure_future(driver.catch_up())
        await asyncio.sleep(0.05)
        assert not waiting.done()
    await asyncio.wait_for(waiting, PATIENCE)
    assert values(played.recorder) == ["first", "second"]
    driver.cancel("r-1")
    assert played.outcome().verdict == "cancelled"


WORK = """
import threading
def work(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
"""


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
@pytest.mark.parametrize(
    ("source", "is_busy"),
    [
        ("bad = lambda run: forever()", False),
        ("bad = lambda run: say('part', run, **text())", False),
        ("bad = lambda run: work(9)", True),
        ("bad = lambda run: os.waitpid(os.fork() or (work(9), os._exit(0)), 0)", True),
    ],
    ids=["sleeps", "waits for the next message", "computes", "waits for a child that computes"],
)
def test_it_is_seen_whether_a_run_that_hangs_does_anything(
    stdio: Start, source: str, is_busy: bool
) -> None:
    outcome = stdio(f"{WORK}\n{source}").run(message("r-1", "bad", 500), Recorder())
    assert (outcome.verdict, outcome.busy is not None) == ("hung", True)
    assert ((outcome.busy or 0) > 0.2) is is_busy


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_what_runs_beside_it_do_is_not_taken_for_what_a_run_does(stdio: Start) -> None:
    source = """
def play(run):
    if run["model"] != "bad":
        say("part", run, **text())
        threading.Thread(target=lambda: (work(0.8), say("done", run, outcome="completed"))).start()
"""
    driver = stdio(f"{WORK}\n{source}")
    beside = Played(driver, message("r-1", "works"))
    assert beside.began.wait(PATIENCE)
    outcome = driver.run(message("r-2", "bad", 500), Recorder())
    assert (beside.outcome().verdict, outcome.verdict) == ("completed", "hung")
    assert (outcome.busy or 0) < 0.05


def test_runs_that_hang_beside_each_other_have_all_hung(stdio: Start) -> None:
    driver = stdio("def play(run): pass")
    played = [Played(driver, message(f"r-{n}", deadline_ms=SOON)) for n in range(3)]
    assert [each.outcome().verdict for each in played] == ["hung"] * 3
