from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import get_args

import pytest

from mockserver.scenario.script import Checkpoint, Close, CloseHow, Pause
from mockserver.server.journal import Exchange
from mockserver.wire.event import Event, Step
from mockserver.wire.frames import MIN_GAP, Plan, plan
from mockserver.wire.framing import Framing
from mockserver.wire.playback import Clock, Gatekeeper, Wire, play

# The clock of the event loop does not begin at zero.
START = 100.0


@dataclass
class Stage:
    """A fake connection and clock; time passes only in sleeps and in slow writes."""

    time: float = START
    # How much longer the n-th sleep takes than it should.
    oversleeps: list[float] = field(default_factory=list)
    # How long the n-th write waits for its reader.
    drains: list[float] = field(default_factory=list)
    leaves_at: float = float("inf")
    wrote: list[tuple[float, bytes]] = field(default_factory=list)
    closed: str = ""
    closed_at: float = 0.0

    async def sleep(self, seconds: float) -> None:
        self.time += seconds + (self.oversleeps.pop(0) if self.oversleeps else 0.0)

    async def write(self, data: bytes) -> None:
        if self.time >= self.leaves_at:
            raise ConnectionResetError
        self.wrote.append((self.time, data))
        self.time += self.drains.pop(0) if self.drains else 0.0

    async def play(self, script: Plan, gatekeeper: Gatekeeper | None = None) -> Exchange:
        exchange = Exchange(0, self.time, "POST", "/v1/responses", {})
        exchange.plan = script
        wire = Wire(self.write, {how: self._closing(how) for how in get_args(CloseHow)})
        await play(script, {}, exchange, wire, Clock(lambda: self.time, self.sleep), gatekeeper)
        return exchange

    def _closing(self, how: CloseHow) -> Callable[[], Awaitable[None]]:
        async def close() -> None:
            self.closed, self.closed_at = how, self.time

        return close

    @property
    def moments(self) -> list[float]:
        return [at - START for at, _ in self.wrote]


def script(
    *steps: Step | float, terminal: frozenset[str] = frozenset(), framing: Framing | None = None
) -> Plan:
    """A plan of events; a number is a pause."""
    whole = [Pause(step) if isinstance(step, float) else step for step in steps]
    return plan(whole, lambda type_, _data: type_ in terminal, framing or Framing())


def event(name: str) -> Event:
    return Event(name, {"type": name})


A, B, C = event("a"), event("b"), event("c")


async def test_frames_that_are_due_together_are_one_write() -> None:
    stage = Stage()
    await stage.play(script(A, B, 1.0, C))
    assert [data.count(b"data: ") for _, data in stage.wrote] == [2, 1]


async def test_frames_are_written_at_their_times_after_the_start() -> None:
    stage = Stage()
    exchange = await stage.play(script(A, 0.5, B, 2.0, C))
    assert stage.moments == pytest.approx([0.0, 0.5, 2.5])
    assert [wrote.late for wrote in exchange.writes] == [0.0, 0.0, 0.0]


async def test_a_late_frame_delays_no_other_frame() -> None:
    stage = Stage(oversleeps=[0.4, 0.0])
    exchange = await stage.play(script(A, 0.5, B, 0.5, C))
    assert stage.moments == pytest.approx([0.0, 0.9, 1.0])
    assert [wrote.late for wrote in exchange.writes] == pytest.approx([0.0, 0.4, 0.0])


async def test_overdue_frames_are_written_without_pauses_and_lateness_is_recorded() -> None:
    stage = Stage(oversleeps=[3.0])
    exchange = await stage.play(script(A, 0.5, B, 0.5, C))
    assert stage.moments == pytest.approx([0.0, 3.5, 3.5 + MIN_GAP])
    assert [wrote.late for wrote in exchange.writes] == pytest.approx([0.0, 3.0, 2.5 + MIN_GAP])


async def test_done_that_comes_apart_does_so_also_after_a_late_write() -> None:
    stage = Stage(oversleeps=[0.2])
    framing = Framing(closing_apart=True)
    await stage.play(script(A, 0.5, B, terminal=frozenset({"b"}), framing=framing))
    assert stage.wrote[-1][1] == b"data: [DONE]\n\n"
    assert stage.moments == pytest.approx([0.0, 0.7, 0.7 + MIN_GAP])


async def test_a_clock_that_wakes_early_does_not_send_early() -> None:
    stage = Stage(oversleeps=[-0.3, -0.1])
    await stage.play(script(A, 0.5, B))
    assert stage.moments == pytest.approx([0.0, 0.5])


async def test_a_slow_reader_delays_the_playback() -> None:
    stage = Stage(drains=[4.0])
    exchange = await stage.play(script(A, 1.0, B))
    assert stage.moments == pytest.approx([0.0, 4.0], abs=2 * MIN_GAP)
    assert exchange.writes[1].late == pytest.approx(3.0, abs=2 * MIN_GAP)


async def test_the_time_at_a_gate_is_added_to_all_later_times() -> None:
    stage = Stage()
    passed: list[tuple[str, int]] = []

    async def gatekeeper(name: str, after: int) -> None:
        passed.append((name, after))
        stage.time += 7.0

    exchange = await stage.play(script(A, 0.5, B, Checkpoint("mid"), 0.5, C), gatekeeper)
    assert passed == [("mid", 1)]
    assert stage.moments == pytest.approx([0.0, 0.5, 8.0])
    assert exchange.writes[2].late == pytest.approx(0.0)
    assert stage.closed == "clean"
    assert stage.closed_at == pytest.approx(START + 8.0)


async def test_without_a_gatekeeper_a_checkpoint_does_not_wait() -> None:
    stage = Stage()
    await stage.play(script(A, Checkpoint("mid"), 0.5, B))
    assert stage.moments == pytest.approx([0.0, 0.5])


async def test_a_write_is_in_the_journal_before_anyone_can_have_read_it() -> None:
    stage = Stage()
    exchange = Exchange(0, START, "POST", "/v1/responses", {})
    noted: list[int] = []

    async def write(data: bytes) -> None:
        noted.append(len(exchange.writes))

    async def clean() -> None:
        noted.append(-1)

    clock = Clock(lambda: stage.time, stage.sleep)
    await play(script(A, 1.0, B), {}, exchange, Wire(write, {"clean": clean}), clock)
    assert noted == [1, 2, -1]


async def test_the_stream_closes_as_and_when_the_script_says() -> None:
    stage = Stage()
    await stage.play(script(A, 0.5, Close("cut")))
    assert stage.closed == "cut"
    assert stage.closed_at == pytest.approx(START + 0.5)


async def test_bytes_for_a_client_that_left_are_counted_and_are_no_write() -> None:
    stage = Stage(leaves_at=START + 1.0)
    exchange = Exchange(0, START, "POST", "/v1/responses", {})
    wire = Wire(stage.write, {})
    with pytest.raises(ConnectionResetError):
        await play(
            script(A, 2.0, B, 2.0, C), {}, exchange, wire, Clock(lambda: stage.time, stage.sleep)
        )
    assert [wrote.first for wrote in exchange.writes] == [0]
    assert exchange.after_left == len(Framing().event(B).encode())
