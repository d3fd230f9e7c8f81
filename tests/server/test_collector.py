"""When the garbage collector of a serving process visits its objects."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from mockserver.server import process
from mockserver.server.process import collect_when_idle
from tests.server import until


class Cycle:
    """An object that only the garbage collector frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CHECK_SECONDS", 0.0)


@asynccontextmanager
async def serving(is_idle: Callable[[], bool]) -> AsyncIterator[Callable[[], Cycle | None]]:
    """A block in which there is garbage that has survived a collection of young objects."""
    async with collect_when_idle(is_idle):
        kept = Cycle()
        gc.collect(0)
        gone = weakref.ref(kept)
        del kept
        gc.collect(0)
        yield gone


async def test_old_garbage_is_collected_once_the_server_is_idle() -> None:
    async with serving(lambda: True) as gone:
        await until(lambda: gone() is None)


async def test_nothing_old_is_visited_while_requests_are_answered() -> None:
    asked = 0

    def is_idle() -> bool:
        nonlocal asked
        asked += 1
        return asked % 2 == 0

    async with serving(is_idle) as gone:
        await until(lambda: asked > 20)
        assert gone() is not None


async def test_a_process_that_no_longer_serves_collects_as_before() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    async with collect_when_idle(lambda: True):
        assert (gc.get_threshold(), gc.get_freeze_count()) != before
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
