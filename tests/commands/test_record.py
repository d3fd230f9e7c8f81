"""``streamproof record`` as a process: from its first line to the scenarios at Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from aiohttp import ClientSession

from conformance.suite.upstream import Upstream
from mockserver.scenario.catalogue import Catalogue
from tests.commands import call
from tests.suite import STREAMPROOF

WAIT = 60.0


async def _recorded(folder: Path, upstream: str) -> tuple[int | None, str, str]:
    """Record one request until Ctrl-C; returns the exit code and both outputs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *STREAMPROOF,
        *("record", "--upstream", upstream, "--port", "0", "--out", str(folder)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout
        line = await asyncio.wait_for(process.stdout.readline(), WAIT)
        url = line.decode().split()[0]
        body = {"model": "mock", "input": "Hello", "stream": True}
        async with (
            ClientSession() as session,
            session.post(f"{url}/s/any/refusal/v1/responses", json=body) as answer,
        ):
            assert b"response.completed" in await answer.read()
        process.send_signal(signal.SIGINT)
        out, err = await asyncio.wait_for(process.communicate(), WAIT)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, out.decode(), err.decode()


def test_a_recorded_session_is_replayed(tmp_path: Path) -> None:
    with Upstream(Catalogue.shipped()) as upstream:
        code, out, err = asyncio.run(_recorded(tmp_path, upstream.url))
    assert code == 0, err
    assert "1 captures, 1 scenarios in" in out
    file = tmp_path / "recorded" / "0001.yaml"
    assert call("lint", file).code == 0
    assert call("show", file, "--reference").code == 0
    assert call("import", tmp_path / "captures" / "0001.har").out.count("response.refusal") == 4


def test_an_upstream_that_is_no_url_exits_with_4(tmp_path: Path) -> None:
    ran = call("record", "--upstream", "api.openai.com", "--out", tmp_path / "x")
    assert ran.code == 4
    assert "is not the URL of an HTTP server" in ran.err
