"""A provider reaches loopback only, and requests to its fixed URL are led to the mock."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.docs.pages import ROOT
from tests.node.adapter import NodeAdapter, parts
from tests.node.conftest import Start

# A provider that runs the code in the options of its run, and reports its value.
PROVIDER = """
import { provideInVscode } from "streamproof/vscode";
import * as vscode from "vscode";

provideInVscode({
  name: "tested",
  provider: {
    provideLanguageModelChatInformation: () => [{ id: "m" }],
    async provideLanguageModelChatResponse(model, messages, { modelOptions }, progress) {
      const value = await eval(`(async () => { ${modelOptions.runs} })()`);
      progress.report(new vscode.LanguageModelTextPart(JSON.stringify(value)));
    },
  },
  upstreams: {
    "https://models.acme.example/v1": "baseUrl",
    "https://models.acme.example/v1/old/": ({ baseUrl }) => `${baseUrl}/former`,
  },
});
"""

sharing = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(start_shared: Start) -> NodeAdapter:
    return await start_shared(PROVIDER, "--import", "streamproof/vscode/register")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def echo() -> AsyncIterator[str]:
    """The base URL of a server that answers with the request line and the host of a request."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        size = next((int(line[15:]) for line in head if line.lower().startswith("content-len")), 0)
        chunked = any(line.lower() == "transfer-encoding: chunked" for line in head)
        chunks = (await reader.readuntil(b"0\r\n\r\n")).split(b"\r\n") if chunked else []
        asked = chunks[1] if chunked else await reader.readexactly(size)
        hosts = [line.split(": ")[1] for line in head if line.lower().startswith("host:")]
        body = json.dumps([head[0].removesuffix(" HTTP/1.1"), *hosts, asked.decode()]).encode()
        length = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + length.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/r/token/v1"


async def value_of(adapter: NodeAdapter, code: str, **changes: Any) -> Any:
    [part] = parts(await adapter.play(options={"runs": code}, **changes))
    return json.loads(part["value"])


# By what the code does: the code, whose error is reported, and what is refused.
REFUSED = {
    "fetch": (
        "await fetch('https://api.acme.example/v1').catch((e) => { throw e.cause })",
        "a connection to api.acme.example:443",
    ),
    "https.get": (
        "const { get } = await import('node:https');"
        "await new Promise((_, no) => get('https://api.acme.example').on('error', no))",
        "a connection to api.acme.example:443",
    ),
    "an address": (
        "const { connect } = await import('node:net');"
        "await new Promise((_, no) => connect(80, '192.0.2.1').on('error', no))",
        "a connection to 192.0.2.1:80",
    ),
    "an address of version 6": (
        "const { connect } = await import('node:net');"
        "await new Promise((_, no) => connect({ port: 80, host: '2001:db8::1' }).on('error', no))",
        "a connection to 2001:db8::1:80",
    ),
    "http2": (
        "const { connect } = await import('node:http2');"
        "await new Promise((_, no) => connect('https://api.acme.example').on('error', no))",
        "a connection to api.acme.example:443",
    ),
    "a datagram": (
        "const { createSocket } = await import('node:dgram');"
        "createSocket('udp4').send('x', 53, '192.0.2.1')",
        "a datagram to 192.0.2.1",
    ),
    "a look-up": (
        "const { lookup } = await import('node:dns');"
        "await new Promise((_, no) => lookup('acme.example', no))",
        "a look-up of acme.example",
    ),
    "a look-up of an address": (
        "const { reverse } = await import('node:dns');"
        "await new Promise((_, no) => reverse('192.0.2.1', no))",
        "a look-up of 192.0.2.1",
    ),
    "a promised look-up": (
        "const { resolve4 } = await import('node:dns/promises'); await resolve4('acme.example')",
        "a look-up of acme.example",
    ),
    "a worker": (
        "const { Worker } = await import('node:worker_threads');"
        "const code = `fetch('https://w.acme.example').catch((e) => { throw e.cause })`;"
        "await new Promise((_, no) => new Worker(code, { eval: true }).on('error', no))",
        "a connection to w.acme.example:443",
    ),
}


@pytest.mark.parametrize("how", REFUSED)
@sharing
async def test_nothing_leaves_loopback(running: NodeAdapter, how: str) -> None:
    code, what = REFUSED[how]
    caught = f"try {{ {code}; return 'it went out'; }} catch (error) {{ return error.message; }}"
    message = await value_of(running, caught)
    refusal = f"{what} is refused: a provider under test reaches loopback only"
    assert message.startswith(refusal)


HERE = (
    "localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1", "",
)  # fmt: skip
ELSEWHERE = (
    "0.0.0.0", "10.0.0.1", "::", "::ffff:10.0.0.1", "127.0.0.1.acme.example", "localhost.acme",
)  # fmt: skip


def test_loopback_is_told_from_other_hosts(project: Path) -> None:
    hosts = json.dumps([*HERE, *ELSEWHERE])
    module = json.dumps(str(ROOT / "node" / "vscode" / "loopback.cjs"))
    program = f"console.log(JSON.stringify({hosts}.map(require({module}).isLoopback)))"
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True] * len(HERE) + [False] * len(ELSEWHERE)


@sharing
async def test_a_datagram_to_this_machine_is_sent(running: NodeAdapter) -> None:
    code = """
    const { createSocket } = await import("node:dgram");
    const received = createSocket("udp4");
    await new Promise((yes) => received.bind(0, "127.0.0.1", yes));
    const sent = createSocket("udp4");
    const message = new Promise((yes) => received.on("message", (data) => yes(String(data))));
    sent.send("10.0.0.1", received.address().port);
    const said = await message;
    sent.close();
    received.close();
    return said;
    """
    assert await value_of(running, code) == "10.0.0.1"


@pytest.mark.parametrize(
    "code",
    [
        "await new Promise((_, no) => exec('true', no))",
        "await new Promise((_, no) => spawn('true').on('error', no))",
        "await new Promise((_, no) => fork('true').on('error', no))",
        "execSync('true')",
        "execFileSync('true')",
        "throw spawnSync('true').error",
    ],
)
@sharing
async def test_no_process_is_started(running: NodeAdapter, code: str) -> None:
    imported = "exec, execFileSync, execSync, fork, spawn, spawnSync"
    caught = f"""
    const {{ {imported} }} = await import("node:child_process");
    try {{ {code}; return "it was started"; }} catch (error) {{ return error.code; }}
    """
    assert await value_of(running, caught) == "ENOENT"


async def test_a_refusal_is_said_once_and_names_the_option_to_reach_the_mock(start: Start) -> None:
    adapter = await start(PROVIDER, "--import", "streamproof/vscode/register")
    code = "return fetch('https://api.acme.example').catch(() => 'failed');"
    for _ in range(2):
        assert await value_of(adapter, code) == "failed"
    _, errors = await adapter.bye()
    assert errors.splitlines() == [
        "streamproof: a connection to api.acme.example:443 is refused: a provider under test "
        "reaches loopback only; if it is the extension's upstream, lead it to the mock with "
        'upstreams: {"https://api.acme.example": "baseUrl"}'
    ]


BODY = "(await response.json())"
CHUNKS = "new Promise((yes) => response.on('data', (d) => yes(JSON.parse(d))))"

LED = {
    "fetch with a text": (
        f"const response = await fetch('https://models.acme.example/v1/chat?a=b');return {BODY};",
        ["GET /r/token/v1/chat?a=b", ""],
    ),
    "fetch with a request": (
        "const asked = new Request(new URL('https://models.acme.example/v1/chat'),"
        " { method: 'POST', body: 'hi' });"
        f"const response = await fetch(asked); return {BODY};",
        ["POST /r/token/v1/chat", "hi"],
    ),
    "the longest URL": (
        f"const response = await fetch('https://models.acme.example/v1/old/x'); return {BODY};",
        ["GET /r/token/v1/former/x", ""],
    ),
    "https.request with a URL": (
        "const { request } = await import('node:https');"
        "const response = await new Promise((yes) => request("
        "'https://models.acme.example/v1/chat',"
        " { method: 'POST', headers: { Host: 'models.acme.example', 'content-length': 2 } }, yes)"
        ".end('hi'));"
        f"return {CHUNKS};",
        ["POST /r/token/v1/chat", "hi"],
    ),
    "https.get with options": (
        "const { default: https } = await import('node:https');"
        "const response = await new Promise((yes) => https.get("
        "{ hostname: 'models.acme.example', port: 443, path: '/v1/models' }, yes));"
        f"return {CHUNKS};",
        ["GET /r/token/v1/models", ""],
    ),
}


@pytest.mark.parametrize("how", LED)
@sharing
async def test_requests_to_a_fixed_url_reach_the_mock(
    running: NodeAdapter, echo: str, how: str
) -> None:
    code, (line, body) = LED[how]
    host = echo.split("/")[2]
    assert await value_of(running, code, base_url=echo) == [line, host, body]


@sharing
async def test_a_url_that_only_begins_alike_is_refused(running: NodeAdapter, echo: str) -> None:
    code = "return fetch('https://models.acme.example/v12').catch((e) => e.cause.code);"
    assert await value_of(running, code, base_url=echo) == "ECONNREFUSED"


@pytest.mark.parametrize(
    ("upstreams", "error"),
    [
        ('{ "models.acme.example": "baseUrl" }', "'models.acme.example' is not a URL"),
        ('{ "https://acme.example": "url" }', "'https://acme.example' gets 'url': name one of"),
    ],
)
async def test_upstreams_are_checked_at_the_start(start: Start, upstreams: str, error: str) -> None:
    begun = PROVIDER.index("upstreams: {")
    wrong = f"{PROVIDER[:begun]}upstreams: {upstreams} }});"
    adapter = await start(wrong, "--import", "streamproof/vscode/register")
    code, errors = await adapter.exited()
    assert code == 1
    assert error in errors
