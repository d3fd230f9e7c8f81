"""Hundreds of streams that are open at once are all complete and right."""

import asyncio
from pathlib import Path

from mockserver.cases.catalogue import Catalogue
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.load import line, post, room_for, unchunked
from tests.server import PATIENCE, answer_text, choose_case, events, write

STREAMS = 500
WORDS = [f"word {n} " for n in range(10)]
CROWD = (
    "title: Words with a pause between them, after a checkpoint\nturns:\n  - says:\n"
    "      - start: {text: t}\n      - delta: {t: 'first '}\n      - checkpoint: all\n"
    + "".join(f"      - delta: {{t: {word!r}}}\n      - pause: 5ms\n" for word in WORDS)
    + "      - end: t\n"
)


async def test_concurrent_streams_are_all_complete_and_right(tmp_path: Path) -> None:
    room_for(3 * STREAMS)
    write(tmp_path, "any/crowd", CROWD)
    state, arrived = State(Catalogue([tmp_path])), asyncio.Event()
    waiting = 0

    async def gatekeeper(_name: str, _after: int) -> None:
        nonlocal waiting
        waiting += 1
        if waiting == STREAMS:
            arrived.set()
        await arrived.wait()

    case = choose_case(state, "any/crowd")

    async def streamed(server: Server) -> bytes:
        run = state.local.open_runs.open(case, gatekeeper)
        body = b'{"model":"m","input":"Hello","stream":true}'
        async with line(server.url) as client:
            client.writer.write(post(f"{run.path}/responses", body, "Connection: close"))
            return unchunked(await client.reader.read())

    async with Server(state) as server, asyncio.timeout(6 * PATIENCE):
        bodies = await asyncio.gather(*(streamed(server) for _ in range(STREAMS)))

    assert {answer_text(body) for body in bodies} == {"first " + "".join(WORDS)}
    assert all(body.endswith(b"data: [DONE]\n\n") for body in bodies)
    assert len({events(body)[-1]["response"]["id"] for body in bodies}) == STREAMS
    numbers = [event["sequence_number"] for event in events(bodies[0])]
    assert numbers == list(range(len(numbers)))
    for run in state.local.open_runs.all():
        (exchange,) = run.exchanges
        assert exchange.plan is not None
        assert [event["n"] for event in exchange.events()] == list(range(len(exchange.plan.sent)))
        assert (exchange.left, exchange.after_left) == (None, 0)
