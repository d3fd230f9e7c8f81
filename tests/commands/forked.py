"""Commands for shell scripts, each a fork of a process that has done most imports already.

A script finds them on its ``PATH``. What they are in a process of their own is played by
``test_run.py``, and by the tests of ``tests/packaging``.
"""

import json
import os
import socket
import sys
from contextlib import suppress
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from tests.commands import forked_client
from tests.suite import FORKED, PLUGINS, fork_server

_COMMANDS = {"pytest": ("-m", "pytest", *FORKED), "streamproof": ("-m", "streamproof")}


def write_forked_commands(folder: Path) -> None:
    """Write ``pytest`` and ``streamproof`` into a folder, where this system can fork them."""
    for name, words in _COMMANDS.items():
        if fork_server.takes(words):
            client = f'"{sys.executable}" -IS "{forked_client.__file__}" "{_listening()}"'
            command = folder / name
            command.write_text(f'#!/bin/sh\nexec {client} {" ".join(words)} "$@"\n', "utf-8")
            command.chmod(0o755)


@cache
def _listening() -> str:
    """The path of a socket at which this process listens for commands, up to its end."""
    # Not in the folder of a test: the path of a socket has at most a hundred characters.
    folder = TemporaryDirectory(prefix="forked-")
    place = str(Path(folder.name) / "calls")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()
    Thread(target=_listen, args=(listener, folder), daemon=True).start()
    return place


def _listen(listener: socket.socket, _folder: TemporaryDirectory[str]) -> None:
    while True:
        client, _ = listener.accept()
        Thread(target=_serve, args=(client,), daemon=True).start()


def _serve(client: socket.socket) -> None:
    """Run one command; it is killed if its client ends before it."""
    with suppress(BrokenPipeError), client, client.makefile("rw", encoding="utf-8") as lines:
        _, streams, _, _ = socket.recv_fds(client, 1, 3)
        try:
            asked = json.loads(lines.readline())
            cwd, env = Path(asked["cwd"]), asked["env"] | PLUGINS
            process = fork_server.start(asked["arguments"], cwd, env, streams)
        finally:
            for fd in streams:
                os.close(fd)
        print(process.pid, file=lines, flush=True)
        if process.sentinel not in wait([process.sentinel, client]):
            process.kill()
        code = fork_server.end(process)
        print(code, file=lines, flush=True)
