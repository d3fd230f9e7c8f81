import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.drivers import child
from conformance.drivers.exec import ExecDriver
from conformance.drivers.stdio import StdioDriver
from tests.drivers import HAS_PROC, PYTHON, no_longer_alive
from tests.drivers.misbehaving import PRELUDE

Start = Callable[..., StdioDriver]


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The process groups that a test starts; fails if a group or a driver's thread is left over."""
    started: list[int] = []
    start = child._start_process

    def noted(*args: object) -> object:
        process = start(*args)  # type: ignore[arg-type]
        started.append(process.pid)
        return process

    monkeypatch.setattr(child, "_start_process", noted)
    yield started
    if HAS_PROC:
        assert [group for group in started if not no_longer_alive(group)] == []
    left = [thread for thread in threading.enumerate() if thread.name == "streamproof-child"]
    for thread in left:
        thread.join(1)
    assert not any(thread.is_alive() for thread in left)


@pytest.fixture
def stdio(groups: list[int], tmp_path: Path) -> Iterator[Start]:
    """A function that makes a stdio driver for a program, from the source that plays bad runs."""
    drivers: list[StdioDriver] = []

    def start(source: str, hello_seconds: float = 10.0) -> StdioDriver:
        argv = [*PYTHON, f"{PRELUDE}\n{source}\nserve()"]
        drivers.append(StdioDriver(argv, tmp_path, hello_seconds))
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.close()


@pytest.fixture
def exec_(groups: list[int], tmp_path: Path) -> Callable[[str], ExecDriver]:
    """A function that makes an exec driver for a program with this source."""
    return lambda source: ExecDriver([*PYTHON, source], tmp_path)
