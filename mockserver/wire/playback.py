"""Plays a rendered turn to one connection.

Every write is due at a moment counted from the start of the response, so that a late write makes no
other one late. Two things move the schedule all the same. Time spent at a gate is nobody's
lateness: it shifts what follows by exactly that time. And writes are apart on purpose, because two
that go out back to back arrive as one read: behind a late one, the next keeps its millisecond.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver.scenario.model import CloseHow
from mockserver.server.journal import Wrote
from mockserver.wire.frames import APART, Gate
from mockserver.wire.slots import fill

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Gatekeeper
    from mockserver.wire.frames import Plan, Write
    from mockserver.wire.slots import Values

_TOLERANCE = 0.0001


@dataclass(frozen=True, slots=True)
class Wire:
    """One connection: takes bytes when its reader has room, and can end in each of the ways.

    ``write`` raises ConnectionError once the client has left. ``finish`` writes and ends cleanly in
    one go, where the connection can do that.
    """

    write: Callable[[bytes], Awaitable[None]]
    close: Mapping[CloseHow, Callable[[], Awaitable[None]]]
    finish: Callable[[bytes], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds, and a way to let them pass."""

    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def play(
    plan: Plan,
    values: Values,
    exchange: Exchange,
    wire: Wire,
    clock: Clock,
    gatekeeper: Gatekeeper | None = None,
) -> None:
    """Play a whole plan and note each write; without a gatekeeper no checkpoint waits.

    Raises ConnectionError where the client has left.
    """
    start = clock.now()
    planned = written = 0.0
    for step in plan.writes:
        if isinstance(step, Gate):
            if gatekeeper is not None:
                start += await _held(gatekeeper, step, clock)
            continue
        due = start + step.at
        await _until(max(due, written + min(step.at - planned, APART)), clock)
        data = fill(step.pieces, values)
        if wire.finish is not None and _is_all(step, plan):
            await _write(step, due, clock.now(), data, exchange, wire.finish)
            return
        await _write(step, due, clock.now(), data, exchange, wire.write)
        planned, written = step.at, clock.now()
    await _until(start + plan.closes_at, clock)
    await wire.close[plan.close]()


async def _held(gatekeeper: Gatekeeper, gate: Gate, clock: Clock) -> float:
    reached = clock.now()
    await gatekeeper(gate.name, gate.after)
    return clock.now() - reached


async def _until(moment: float, clock: Clock) -> None:
    # Some event loops count in whole milliseconds and wake up early.
    while (early := moment - clock.now()) > _TOLERANCE:
        await clock.sleep(early)


def _is_all(step: Write, plan: Plan) -> bool:
    """Does a clean end follow this write at once?"""
    return plan.close == "clean" and step is plan.writes[-1] and step.at == plan.closes_at


async def _write(
    step: Write,
    due: float,
    now: float,
    data: bytes,
    exchange: Exchange,
    write: Callable[[bytes], Awaitable[None]],
) -> None:
    # Noted before it is made: what an adapter makes of it must never be older than the note.
    exchange.wrote.append(Wrote(now, max(0.0, now - due), step.first, step.last, len(data)))
    try:
        await write(data)
    except ConnectionError:
        exchange.wrote.pop()
        exchange.after_left += len(data)
        raise
