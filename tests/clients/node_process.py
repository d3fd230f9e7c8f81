"""A Node process that answers questions from tests.

A question is a line of JSON, and so is its answer. The process works on many at a time; each caller
gets a future for its own answer.
"""

import json
import subprocess
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Self

# More than the process allows for a stream.
PATIENCE = 60


class NodeProcess:
    """A program of a project, as a context manager."""

    def __init__(
        self, project: Path, env: Mapping[str, str] | None = None, program: str = "read.mjs"
    ) -> None:
        self._process = subprocess.Popen(
            ["node", program], cwd=project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._ids = count()
        self._asked: dict[int, Future[Any]] = {}
        self._listener = Thread(target=self._listen, name="node-process", daemon=True)

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        # The process ends with its last question, or has ended already.
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(PATIENCE)
        self._process.stdout.close()

    def ask(self, question: Mapping[str, Any]) -> Future[Any]:
        """Send a question, with an ``id`` added."""
        assert self._process.stdin
        id_ = next(self._ids)
        self._asked[id_] = answer = Future[Any]()
        try:
            self._process.stdin.write(json.dumps({"id": id_, **question}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._abandon()
        return answer

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            answer = json.loads(line)
            self._asked.pop(answer["id"]).set_result(answer)
        self._abandon()

    def _abandon(self) -> None:
        code = self._process.wait(PATIENCE)
        for id_ in list(self._asked):
            if unanswered := self._asked.pop(id_, None):
                unanswered.set_exception(RuntimeError(f"the Node process ended with {code}"))
