"""``python -m mockserver`` as a child process."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

import mockserver
from mockserver.cases.catalogue import Catalogue
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import PATIENCE, REQUEST, SCENARIOS, connection, is_log, text, write
from tests.server.forks import START_PATIENCE, refused, running, start

ROOT = Path(mockserver.__file__).resolve().parents[1]


Served = tuple[str, dict[str, str]]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The URL from a server's first line, and the files that it had written by then."""
    folder = tmp_path_factory.mktemp("served")
    for id_ in ("any/hello", "openresponses/reset"):
        write(folder / "scenarios", id_.partition("/")[2], SCENARIOS[id_])
    (files := folder / "files").mkdir()
    options = ("--scenarios", str(folder / "scenarios"), "--ready-file", str(files / "ready"))
    command = (sys.executable, "-m", "mockserver", "--port", "0", *options)
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split(" at ")[-1].strip()
            yield url, {path.name: path.read_text("utf-8") for path in files.iterdir()}
        finally:
            process.kill()


async def test_it_prints_its_url_and_plays_own_scenarios(served: Served) -> None:
    async with ClientSession(served[0]) as client:
        assert await text(client, "/s/hello/v1/responses") == "Hello there"
        async with client.get("/_mock/scenarios") as response:
            ids = {scenario["id"] for scenario in (await response.json())["scenarios"]}
    assert {"hello", "openresponses/parallel-calls"} <= ids


async def test_a_broken_scenario_is_named_at_the_start_and_not_counted(folder: Path) -> None:
    whole = len(Catalogue.shipped(folder).ids())
    write(folder, "any/broken", "title: No turns\n")
    process = await start("-m", "mockserver", "--port", "0", "--scenarios", str(folder))
    line = await asyncio.wait_for(process.stdout.readline(), START_PATIENCE)
    process.send_signal(signal.SIGTERM)
    _, error = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert f" plays {whole} scenarios at ".encode() in line
    assert b"ERROR  not played\n" in error
    assert b"any/broken.yaml:1:1: the key 'turns' is missing here" in error


async def test_a_request_of_curl_is_played(served: Served) -> None:
    url, _ = served
    async with connection(url) as raw:
        body = json.dumps(REQUEST)
        head = [
            "POST /s/openresponses/parallel-calls@openresponses+crlf/v1/responses HTTP/1.1",
            f"Host: {url.removeprefix('http://')}",
            "User-Agent: curl/8.5.0",
            "Accept: */*",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        await raw.send("\r\n".join([*head, "", body]).encode())
        answer = await raw.read_until(b"\r\n0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"event: response.completed\r\n" in answer
    assert answer.count(b"data: [DONE]\r\n\r\n") == 1


async def test_the_ready_file_has_the_url_once_requests_are_answered(served: Served) -> None:
    url, files = served
    assert files == {"ready": f"{url}\n"}
    async with ClientSession(url) as client, client.get("/_mock/health") as response:
        assert response.status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_cleanly_with_a_stalled_stream_open(
    folder: Path, number: signal.Signals
) -> None:
    async with (
        running("--scenarios", str(folder / "openresponses")) as (process, url),
        connection(url) as raw,
    ):
        await raw.post("/s/stall/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        process.send_signal(number)
        assert await asyncio.wait_for(process.wait(), 5) == 0
        assert await raw.read_to_end() == b""
        assert is_log(await process.stderr.read())


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
async def test_it_stops_when_its_standard_input_ends(workers: tuple[str, ...]) -> None:
    async with running("--until-stdin-ends", *workers) as (process, url):
        process.write(b"anything\n")
        async with ClientSession(url) as client, client.get("/_mock/health") as response:
            assert response.status == 200
        process.close_stdin()
        assert await asyncio.wait_for(process.wait(), START_PATIENCE) == 0


async def test_a_reset_is_a_reset_on_the_event_loop_of_the_command(served: Served) -> None:
    async with connection(served[0]) as raw:
        await raw.post("/s/reset/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        with pytest.raises(ConnectionResetError):
            await raw.read()


async def test_a_port_in_use_is_reported_without_a_traceback(state: State) -> None:
    async with Server(state) as server:
        port = server.url.rpartition(":")[2]
        process = await start("-m", "mockserver", "--port", port)
        out, error = await asyncio.wait_for(process.communicate(), START_PATIENCE)
    assert (process.returncode, out) == (4, b"")
    assert f"port {port}: the port is in use" in error.decode()
    assert "--port 0" in error.decode()
    assert "Traceback" not in error.decode()


async def test_wrong_options_are_reported_without_a_traceback(tmp_path: Path) -> None:
    assert "No such option" in await refused("--prot", "0")
    assert "does not exist" in await refused("--scenarios", str(tmp_path / "nowhere"))
    assert "cannot be written" in await refused(
        "--port", "0", "--ready-file", str(tmp_path / "nowhere" / "ready")
    )


async def test_folders_that_share_an_id_are_reported_at_start(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "more", "hello", (folder / "any/hello.yaml").read_text("utf-8"))
    error = await refused(
        "--port", "0", "--scenarios", str(folder / "any"), "--scenarios", str(tmp_path / "more")
    )
    assert "have the same id 'hello'" in error
