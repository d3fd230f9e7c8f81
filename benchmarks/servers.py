"""Starts, observes and ends the servers that are measured, each in a process of its own."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from load import HELLO

HERE = Path(__file__).resolve().parent
_START_SECONDS = 15.0

# The mock server uses uvloop if it is installed; this measures asyncio's own loop as well.
_MOCKSERVER = {
    "asyncio": "import sys; sys.modules['uvloop'] = None\n"
    "from mockserver.__main__ import main; sys.exit(main())",
    "uvloop": "import sys; from mockserver.__main__ import main; sys.exit(main())",
}


@dataclass(frozen=True, slots=True)
class Running:
    """A running server: the URL to request, and the id of its process.

    ``beside`` are the processes that it depends on, such as a Redis.
    """

    name: str
    url: str
    pid: int
    beside: tuple[int, ...] = ()

    def cpu(self) -> float:
        """Seconds of CPU time used so far by it, its workers and what is beside it (Linux)."""
        return self._scheduled(0)

    def waited(self) -> float:
        """Seconds for which they were ready to run, and others had the processors (Linux)."""
        return self._scheduled(1)

    def _scheduled(self, column: int) -> float:
        pids = (self.pid, *_children(self.pid), *self.beside)
        return sum(_scheduled(pid)[column] for pid in pids)

    def peak(self) -> float:
        """Its peak memory in MiB (Linux)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return 0.0


def _scheduled(pid: int) -> tuple[float, float]:
    """Seconds for which the threads of a process ran, and waited for a processor."""
    threads = [
        (thread / "schedstat").read_text().split() for thread in Path(f"/proc/{pid}/task").iterdir()
    ]
    return sum(int(ran) for ran, _, _ in threads) / 1e9, sum(int(w) for _, w, _ in threads) / 1e9


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def ours(
    folder: Path,
    case: str,
    loop: str = "asyncio",
    options: tuple[str, ...] = (),
    beside: tuple[int, ...] = (),
) -> Iterator[Running]:
    """The mock server with its journal on and the scenarios in ``folder``."""
    ready = folder / f"ready-{loop}-{'-'.join(options[::2])}"
    ready.unlink(missing_ok=True)
    command = [sys.executable, "-c", _MOCKSERVER[loop], "--port", "0", "--scenarios", str(folder)]
    with _process([*command, *options, "--ready-file", str(ready)]) as process:
        _wait_until(ready.exists, process)
        url = ready.read_text().strip()
        named = [*([loop] if loop != "asyncio" else []), *options[::2]]
        yield Running(
            ", ".join(["streamproof", *named]), f"{url}/s/{case}/v1/responses", process.pid, beside
        )


def start(folder: Path, case: str) -> float:
    """Seconds from the start of our process to the end of the first stream that it serves."""
    began = time.monotonic()
    with ours(folder, case) as server:
        body_of(server.url)
        return time.monotonic() - began


def has_uvloop() -> bool:
    """Whether uvloop is installed."""
    return importlib.util.find_spec("uvloop") is not None


@contextmanager
def bare(name: str, body: Path) -> Iterator[Running]:
    """A bare asyncio or aiohttp server that streams the same bytes."""
    with _process([sys.executable, str(HERE / "peers.py"), name, str(body)]) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Running(f"bare {name}", f"http://127.0.0.1:{port}/v1/responses", process.pid)


@contextmanager
def aimock(folder: Path, text: str, chunk: int) -> Iterator[Running]:
    """aimock with its journal on, streaming the same text in as many deltas."""
    fixture = folder / "aimock.json"
    fixtures = [{"match": {"userMessage": HELLO}, "response": {"content": text}}]
    fixture.write_text(json.dumps({"fixtures": fixtures}))
    port = _free_port()
    cli = HERE / "aimock/node_modules/@copilotkit/aimock/dist/cli.js"
    command = ["node", str(cli), "-p", str(port), "-f", str(fixture), "-c", str(chunk)]
    with _process([*command, "--log-level", "silent"]) as process:
        _wait_until(lambda: _listens(port), process)
        yield Running("aimock", f"http://127.0.0.1:{port}/v1/responses", process.pid)


def has_aimock() -> bool:
    """Whether Node and the aimock package are installed."""
    package = HERE / "aimock/node_modules/@copilotkit/aimock"
    return shutil.which("node") is not None and package.is_dir()


def journal_of(url: str, most: int) -> list[dict[str, Any]]:
    """The newest entries of the journal of our server, which has this URL."""
    at = urlsplit(url)
    with urllib.request.urlopen(f"http://{at.netloc}/_mock/journal?limit={most}") as response:
        entries: list[dict[str, Any]] = json.load(response)["exchanges"]
        return entries


def body_of(url: str) -> bytes:
    """The body that a server streams."""
    data = json.dumps({"model": "bench", "input": HELLO, "stream": True}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers)  # noqa: S310 (our own server)
    with urllib.request.urlopen(request) as response:  # noqa: S310
        body: bytes = response.read()
        return body


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(  # noqa: S603 (an argument list, no shell)
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=HERE.parent,
        env=_environment(),
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def _environment() -> dict[str, str]:
    """The environment, but that modules stay compiled, as those of an installed package are."""
    return {k: value for k, value in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _START_SECONDS
    while not is_ready():
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"{process.args!r} did not start: {process.poll()}")
        time.sleep(0.005)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
