"""A binding in Python over drive/1: its parts, its endings, and its cancellation."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.drivers.recorder import Recorder
from conformance.drivers.stdio import StdioDriver
from mockserver.foundation.faults import AdapterError
from tests.docs.pages import ROOT
from tests.drivers import Played, message, values

# Each run is played by the function that its model names.
BINDING = """
import asyncio
import json

import aiohttp
from failures import Contradiction

LIBRARY = "aiohttp"
DIALECTS = ["openresponses"]


async def run(run, emit):
    return await globals()[run["model"]](run, emit)


async def speaks(run, emit):
    print("this is no line of the protocol")
    for word in ("a", "b", "c"):
        emit({"type": "text", "value": word})
        await asyncio.sleep(0)
    return {"outcome": "completed", "finish": "stop"}


async def fails(run, emit):
    return {"outcome": "failed", "error": {"kind": "upstream", "message": "Overloaded."}}


async def raises(run, emit):
    raise KeyError("choices")


async def decodes(run, emit):
    json.loads("no JSON")


async def leaks(run, emit):
    aiohttp.BasicAuth(None)


async def contradicts(run, emit):
    raise Contradiction("two calls have the id call_1")


async def waits(run, emit):
    emit({"type": "text", "value": "a"})
    await asyncio.get_running_loop().create_future()


async def bursts(run, emit):
    for word in ("a", "b", "c"):
        emit({"type": "text", "value": word})
    return {"outcome": "completed"}
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioDriver]:
    folder = tmp_path_factory.mktemp("binding")
    (folder / "spoken.py").write_text(BINDING, "utf-8")
    serve = str(ROOT / "adapters" / "serve.py")
    driver = StdioDriver([sys.executable, serve, "spoken"], folder)
    yield driver
    driver.close()


def test_hello_has_the_version_of_the_library(driver: StdioDriver) -> None:
    import aiohttp

    hello = driver.hello()
    assert hello["implementation"] == {"name": "aiohttp", "version": aiohttp.__version__}


def test_parts_are_emitted_in_order_and_printed_output_is_no_line(driver: StdioDriver) -> None:
    recorder = Recorder()
    outcome = driver.run(message("r-1", "speaks"), recorder)
    assert outcome.verdict == "completed"
    assert outcome.ends[0].finish == "stop"
    assert values(recorder) == ["a", "b", "c"]


def test_a_failure_is_an_ending(driver: StdioDriver) -> None:
    outcome = driver.run(message("r-2", "fails"), Recorder())
    assert outcome.verdict == "failed"
    assert outcome.ends[0].error
    assert outcome.ends[0].error.message == "Overloaded."


def test_a_contradiction_is_a_failure_of_the_binding(driver: StdioDriver) -> None:
    (end,) = driver.run(message("r-2", "contradicts"), Recorder()).ends
    assert end.error
    reported = "the binding reports: two calls have the id call_1"
    assert (end.outcome, end.error.kind, end.error.message) == ("failed", "binding", reported)


@pytest.mark.parametrize(
    ("model", "begins"),
    [
        ("raises", "the binding raised KeyError: 'choices'"),
        ("decodes", "the binding raised JSONDecodeError: "),
        ("leaks", "the library raised ValueError: "),
    ],
)
def test_an_exception_is_a_crash_of_the_binding_or_of_the_library(
    driver: StdioDriver, model: str, begins: str
) -> None:
    outcome = driver.run(message("r-2", model), Recorder())
    assert outcome.verdict == "crashed"
    assert outcome.ends[0].error
    assert outcome.ends[0].error.message.startswith(begins)


def test_another_dialect_is_unsupported(driver: StdioDriver) -> None:
    outcome = driver.run(message("r-3", "speaks", dialect="made-up"), Recorder())
    assert outcome.verdict == "unsupported"


def test_a_burst_is_cancelled_after_the_given_number_of_parts(driver: StdioDriver) -> None:
    recorder = Recorder()
    outcome = driver.run(message("r-4", "bursts", cancel={"after_parts": 2}), recorder)
    assert outcome.verdict == "cancelled"
    assert values(recorder) == ["a", "b"]
    assert recorder.cancelled
    assert recorder.cancelled.parts == 2


def test_a_waiting_run_is_cancelled_by_message_and_no_other_run_is(driver: StdioDriver) -> None:
    waiting = Played(driver, message("r-5", "waits"))
    assert waiting.began.wait(10)
    assert driver.run(message("r-6", "speaks"), Recorder()).verdict == "completed"
    driver.cancel("r-5")
    assert waiting.outcome().verdict == "cancelled"
    assert values(waiting.recorder) == ["a"]


def test_a_missing_binding_is_reported_with_pythons_message(tmp_path: Path) -> None:
    driver = StdioDriver([sys.executable, str(ROOT / "adapters/serve.py"), "gone"], tmp_path)
    with pytest.raises(AdapterError, match="No module named 'gone'"):
        driver.hello()
