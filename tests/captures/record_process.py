"""``streamproof record`` in a process of its own, which a Ctrl-C ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.suite import STREAMPROOF

WAIT = 60.0


@dataclass
class Ended:
    """The proxy: its URL, and after Ctrl-C its exit code and both outputs."""

    url: str = ""
    code: int | None = None
    out: str = ""
    err: str = ""


@contextmanager
def recording(folder: Path, upstream: str) -> Iterator[Ended]:
    """A proxy that records into a folder until the block ends, which is a Ctrl-C."""
    options = ("--upstream", upstream, "--port", "0", "--out", str(folder))
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *STREAMPROOF, "record", *options], stdout=pipe, stderr=pipe, text=True
    )
    ended = Ended()
    try:
        assert process.stdout
        ended.url = process.stdout.readline().split()[0]
        yield ended
        process.send_signal(signal.SIGINT)
        ended.out, ended.err = process.communicate(timeout=WAIT)
        ended.code = process.returncode
    finally:
        process.kill()
        process.communicate()
