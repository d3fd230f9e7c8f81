"""A command of a shell script, as a process that waits for its fork.

``python -IS forked_client.py SOCKET ARGUMENT…`` asks the tests, which listen at ``forked``, for a
fork with these arguments and with its own environment, folder and streams. It passes signals on to
the fork, and ends as that does.
"""

import json
import os
import signal
import socket
import sys
from types import FrameType


def main(place: str, *arguments: str) -> int:
    """Run the command; returns its exit code."""
    asked = json.dumps({"arguments": arguments, "cwd": os.getcwd(), "env": {**os.environ}})  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as tests:
        tests.connect(place)
        socket.send_fds(tests, [b"\n"], [0, 1, 2])
        with tests.makefile("rw", encoding="utf-8") as lines:
            print(asked, file=lines, flush=True)
            fork = int(lines.readline())

            def pass_on(number: int, _: FrameType | None) -> None:
                os.kill(fork, number)

            for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                signal.signal(each, pass_on)
            code = int(lines.readline())
    # Of a process that a signal ended, as a shell has it.
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
