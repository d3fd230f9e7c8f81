"""Sends a rendered turn over one connection, on schedule.

The time of each write counts from the start of the response, so that one late write does not delay
the others. There are two exceptions. Time spent waiting at a gate shifts all later writes by the
same time and does not count as lateness. And after a late write, the next one still waits
``MIN_GAP``, since a client may read two writes at once if nothing separates them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from mockserver.scenario.script import CloseHow
from mockserver.wire.frames import MIN_GAP, Gate, Plan
from mockserver.wire.slots import Values, fill

_TOLERANCE = 0.0001

# Called on the server's loop when playback reaches a checkpoint, with the checkpoint's name and the
# number of the item sent last; playback continues when it returns.
Gatekeeper = Callable[[str, int], Awaitable[None]]


@dataclass(slots=True)
class WriteRecord:
    """A write that was made: when, how late (seconds), its first and last item, its bytes."""

    at: float
    late: float
    first: int
    last: int
    size: int


class Log(Protocol):
    """Where playback notes what it writes; ``after_left`` counts bytes after the client left."""

    writes: list[WriteRecord]
    after_left: int


class Wire(NamedTuple):
    """One connection, as functions: send bytes with backpressure, and close in each way.

    ``write`` raises ConnectionError once the client has disconnected. ``finish``, if set, sends the
    last bytes and closes cleanly in one operation.
    """

    write: Callable[[bytes], Awaitable[None]]
    close: Mapping[CloseHow, Callable[[], Awaitable[None]]]
    finish: Callable[[bytes], Awaitable[None]] | None = None


class Clock(NamedTuple):
    """A monotonic clock in seconds, and its sleep function."""

    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def play(
    plan: Plan,
    values: Values,
    log: Log,
    wire: Wire,
    clock: Clock,
    gatekeeper: Gatekeeper | None = None,
) -> None:
    """Send all writes of a plan and record each in the log, then close the connection.

    Without a gatekeeper, playback does not wait at checkpoints. Raises ConnectionError if the
    client has disconnected.
    """
    start = clock.now()
    planned = written = 0.0
    for step in plan.writes:
        if isinstance(step, Gate):
            if gatekeeper is not None:
                reached = clock.now()
                await gatekeeper(step.name, step.after)
                start += clock.now() - reached
            continue
        due = start + step.at
        await _sleep_until(max(due, written + min(step.at - planned, MIN_GAP)), clock)
        data = fill(step.pieces, values)
        is_final = plan.close == "clean" and step is plan.writes[-1] and step.at == plan.closes_at
        finish = wire.finish if is_final else None
        # Recorded before it is sent, so that no reaction of the client precedes the record.
        now = clock.now()
        log.writes.append(WriteRecord(now, max(0.0, now - due), step.first, step.last, len(data)))
        try:
            await (finish or wire.write)(data)
        except ConnectionError:
            log.writes.pop()
            log.after_left += len(data)
            raise
        if finish:
            return
        planned, written = step.at, clock.now()
    await _sleep_until(start + plan.closes_at, clock)
    await wire.close[plan.close]()


async def _sleep_until(moment: float, clock: Clock) -> None:
    # Some event loops round to milliseconds and wake up early.
    while (early := moment - clock.now()) > _TOLERANCE:
        await clock.sleep(early)
