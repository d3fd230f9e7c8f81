"""Programs and objects that are asked to count: each answer has one verdict and no side effect."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from conformance.drivers.stdio import StdioDriver
from conformance.suite.adapter_yaml import read_description
from mockserver.foundation.faults import AdapterError
from tests.drivers import HAS_PROC, alive, message, question
from tests.drivers.misbehaving import LONG, SOON, Program
from tests.suite.misbehaving import HELLO

Start = Callable[..., StdioDriver]
PROGRAMS = [
    Program("counts messages", "", "completed"),
    Program("tells a total", 'count = lambda asked: say("counted", asked, total=7)', "completed"),
    Program("tells limits",
        'count = lambda asked: say("counted", asked, total=7, limits={"input": 9, "output": 1})',
        "completed"),
    Program(
        "logs beside it",
        """
def count(asked):
    sys.stderr.write("counting\\n")
    say("counted", asked, total=7)
""",
        "completed",
    ),
    Program("refuses",
        'count = lambda asked: say("unsupported", asked, reason="no")', "unsupported"),
    Program("says that it broke",
        'count = lambda asked: say("error", asked, message="KeyError", traceback="at line 7")',
        "crashed", "at line 7"),
    Program("tells nothing", 'count = lambda asked: say("counted", asked)', "broke-protocol",
        "it wrote a counted message that breaks $defs.counted of schemas/driver.json: "),
    Program("leaves a message out", 'count = lambda asked: say("counted", asked, counts=[1])',
        "broke-protocol", "it gave 1 count(s) for 2 message(s)"),
    Program("counts in halves", 'count = lambda asked: say("counted", asked, counts=[1.5, 2])',
        "broke-protocol", "1.5 is not of type 'integer'"),
    Program("counts below zero", 'count = lambda asked: say("counted", asked, total=-1)',
        "broke-protocol", "-1 is less than the minimum of 0"),
    Program("ends a run instead",
        'count = lambda asked: say("done", asked, outcome="completed")', "broke-protocol",
        "a count was answered with done, not with counted or unsupported or error"),
    Program(
        "emits a part first",
        """
def count(asked):
    say("part", asked, **text())
    say("counted", asked, total=7)
""",
        "broke-protocol",
        "a count was answered with part",
    ),
    Program("answers another count",
        'count = lambda asked: say("counted", {"id": "c-other"}, total=7)', "broke-protocol",
        "it wrote a counted message of 'c-other', a run that the kit never began"),
    Program("prints a number", 'count = lambda asked: write("seven tokens\\n")', "broke-protocol",
        "it wrote a line to stdout that is not JSON: 'seven tokens'; logs go to stderr"),
    Program("exits", "count = lambda asked: os._exit(7)", "crashed", "it exited with 7"),
    Program("writes half a line and exits",
        'count = lambda asked: (write("""{"type": "counted", "i"""), os._exit(0))',
        "crashed", "of its last line there was only"),
    Program("counts without end",
        "count = lambda asked: forever()", "hung", "did not answer a count in its time", SOON),
    Program("leaves a child behind that goes on counting",
        "count = lambda asked: os.fork() or forever()",
        "hung", "did not answer a count in its time", SOON),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_count_has_its_verdict_and_the_next_run_its_own(stdio: Start, program: Program) -> None:
    driver = stdio(program.source)
    outcome = driver.count(question("c-1", program.deadline_ms))
    assert outcome.verdict == program.verdict, outcome
    assert program.words in "\n".join(outcome.notes)
    assert (outcome.counted is not None) == (program.verdict == "completed")
    assert driver.run(message("r-1"), Recorder()).verdict == "completed"


def test_a_run_is_not_ended_by_a_count(stdio: Start) -> None:
    driver = stdio('bad = lambda run: say("counted", run, total=7)')
    outcome = driver.run(message("r-1", "bad"), Recorder())
    assert outcome.verdict == "broke-protocol"
    assert "a run was answered with counted" in "\n".join(outcome.notes)


def pid(driver: StdioDriver) -> int:
    """The pid of the process that counts, which these programs report as the total."""
    counted = driver.count(question("c-1")).counted
    assert counted
    return int(counted["total"])


@pytest.mark.parametrize("source", ["", "bye = forever"], ids=["leaves", "has to be made to"])
def test_a_restart_ends_the_process_and_starts_another(
    stdio: Start, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.drivers.process._GOODBYE", 0.2)
    driver = stdio(source)
    before = pid(driver)
    driver.restart()
    assert pid(driver) != before
    if HAS_PROC:
        assert alive(before) == []


def test_a_program_that_does_not_start_again_cannot_be_driven(stdio: Start, tmp_path: Path) -> None:
    mark = str(tmp_path / "started")
    driver = stdio(f"os.path.exists({mark!r}) and sys.exit(3)\nopen({mark!r}, 'w').close()")
    assert pid(driver)
    with pytest.raises(AdapterError, match="it exited with 3 before its hello"):
        driver.restart()


# Adapters in Python


class Counts:
    """Answers a count with the given function."""

    def __init__(self, count: Any) -> None:
        self.answers = count

    def hello(self) -> Any:
        return HELLO

    async def run(self, run: dict[str, Any], _emit: Any, _cancel: Any) -> dict[str, Any]:
        return {"type": "done", "id": run["id"], "outcome": "completed"}

    def count(self, asked: dict[str, Any]) -> Any:
        return self.answers(asked)


async def well(asked: dict[str, Any]) -> Any:
    return {"type": "counted", "id": asked["id"], "counts": [1, 2]}


async def too_few(asked: dict[str, Any]) -> Any:
    return {"type": "counted", "id": asked["id"], "counts": [1]}


async def anothers(asked: dict[str, Any]) -> Any:
    return {"type": "counted", "id": "c-other", "total": 7}


async def nothing(_asked: dict[str, Any]) -> Any:
    return None


def no_coroutine(asked: dict[str, Any]) -> Any:
    return {"type": "counted", "id": asked["id"], "total": 7}


async def raises(_asked: dict[str, Any]) -> Any:
    raise KeyError("messages")


async def changes_what_it_got(asked: dict[str, Any]) -> Any:
    id_ = asked.pop("id")
    return {"type": "counted", "id": id_, "total": 7}


async def forever(_asked: dict[str, Any]) -> Any:
    await asyncio.Event().wait()


async def blocks(_asked: dict[str, Any]) -> Any:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass


IN_PYTHON = [
    (well, "completed", ""),
    (changes_what_it_got, "completed", ""),
    (too_few, "broke-protocol", "it gave 1 count(s) for 2 message(s)"),
    (anothers, "broke-protocol", "count() returned the ending of another count, 'c-other'"),
    (nothing, "broke-protocol", "count() returned null, where a message is a JSON object"),
    (no_coroutine, "crashed", "TypeError"),
    (raises, "crashed", "KeyError: 'messages'"),
    (forever, "hung", "did not answer a count in its time"),
    (blocks, "hung", "blocked its event loop"),
]


@pytest.fixture
def drive() -> Iterator[Callable[[Any], PythonDriver]]:
    drivers: list[PythonDriver] = []

    def driving(adapter: Any) -> PythonDriver:
        drivers.append(PythonDriver(adapter, lambda: adapter))
        return drivers[-1]

    yield driving
    for driver in drivers:
        driver.close()


@pytest.mark.parametrize(
    ("how", "verdict", "message"), IN_PYTHON, ids=[how.__name__ for how, _, _ in IN_PYTHON]
)
def test_a_count_in_python_has_its_verdict_and_the_next_one_has_its_own(
    drive: Callable[[Any], PythonDriver],
    how: Any,
    verdict: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.drivers.python._BLOCKED_SECONDS", 0.1)
    adapter = Counts(how)
    driver = drive(adapter)
    outcome = driver.count(question("c-1", SOON if verdict == "hung" else LONG))
    assert outcome.verdict == verdict, outcome
    assert message in "\n".join(outcome.notes)
    adapter.answers = well
    assert driver.count(question("c-2")).counted == {
        "type": "counted",
        "id": "c-2",
        "counts": [1, 2],
    }


def test_an_adapter_without_the_method_cannot_count(drive: Callable[[Any], PythonDriver]) -> None:
    adapter = Counts(well)
    adapter.count = None  # type: ignore[method-assign, assignment]
    outcome = drive(adapter).count(question("c-1"))
    assert (outcome.verdict, outcome.notes) == (
        "unsupported",
        ("the adapter has no method 'count'",),
    )


def test_a_restart_in_python_calls_the_factory_again() -> None:
    made: list[Counts] = []

    def factory() -> Counts:
        made.append(Counts(well))
        return made[-1]

    driver = PythonDriver(factory(), factory)
    driver.restart()
    try:
        assert driver.count(question("c-1")).verdict == "completed"
    finally:
        driver.close()
    assert len(made) == 2


# Adapters that cannot count


@pytest.mark.parametrize("way", ["exec", "serve"])
def test_an_adapter_with_a_process_per_run_cannot_claim_to_count(tmp_path: Path, way: str) -> None:
    path = tmp_path / "adapter.yaml"
    path.write_text(
        f"name: one\ndrive: {{{way}: [one]}}\ndialects: [openresponses]\nvocabulary: vscode\n"
        "claims: {count: true}\n",
        "utf-8",
    )
    with pytest.raises(AdapterError) as raised:
        read_description(path)
    assert f"adapter.yaml:5:17: an adapter that is driven by {way} cannot be asked" in str(
        raised.value
    )
