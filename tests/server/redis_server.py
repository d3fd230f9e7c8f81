"""A ``redis-server`` of one's own: at a socket in a folder, with nothing on disk."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server import PATIENCE

needs_redis = pytest.mark.skipif(
    shutil.which("redis-server") is None,
    reason="there is no redis-server: apt-get install redis-server brings it",
)


class RedisServer:
    """A server that can be ended and started again; then it has forgotten everything."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "redis.sock"
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = folder

    @property
    def url(self) -> str:
        return f"unix://{self._socket}"

    def start(self) -> None:
        options = ("--port", "0", "--unixsocket", str(self._socket), "--save", "")
        self._process = subprocess.Popen(
            ["redis-server", *options, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < until, "redis-server did not start"
            assert self._process.poll() is None, "redis-server ended"
            time.sleep(0.01)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as raw:
            try:
                raw.connect(str(self._socket))
                raw.sendall(b"PING\r\n")
                return raw.recv(100) == b"+PONG\r\n"
            except OSError:
                return False

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    # The path of a socket has at most some hundred characters, which tmp_path may exceed.
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.end()
