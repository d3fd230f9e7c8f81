"""The openai package of npm in a Node process that lives as long as its tests.

It reads many streams at a time: whoever asks gets a future, and waits for that one only. What a
question and a reading are stands in ``node/read.mjs``.
"""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from threading import Thread
from typing import Any, Literal, NotRequired, Self, TypedDict

from tests.clients.npm import PROJECT

Api = Literal["responses", "chat"]
How = Literal["raw", "helper", "whole"]

# More than the process gives a stream.
PATIENCE = 60


class Call(TypedDict):
    id: str
    name: str
    arguments: str


class Error(TypedDict):
    """``name`` is the class of what was thrown, or ``failed`` for the response's own error."""

    name: str
    message: str
    code: str | None


class Reading(TypedDict):
    """``final`` and ``held`` are there where the helper read a stream to its end."""

    text: str
    reasoning: str
    refusal: str
    calls: list[Call]
    ended: str | None
    reason: str | None
    usage: dict[str, Any] | None
    error: Error | None
    final: NotRequired[Reading]
    held: NotRequired[Reading]


class NodeClient:
    """One process, for the length of a ``with`` block; ``env`` is added to its environment."""

    def __init__(self, **env: str) -> None:
        ours = {name: v for name, v in os.environ.items() if not name.startswith("OPENAI_")}
        self._process = subprocess.Popen(
            ["node", "read.mjs"],
            cwd=PROJECT,
            env={**ours, "OPENAI_API_KEY": "any", **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ids = count()
        self._asked: dict[int, Future[Reading]] = {}
        self._listener = Thread(target=self._listen, name="node-client", daemon=True)

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        # The process ends with its questions, or has ended before.
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(PATIENCE)
        self._process.stdout.close()

    def ask(
        self, how: How, base_url: str | None = None, api: Api = "responses", **ask: Any
    ) -> Future[Reading]:
        """Let it read one stream; without a base URL it takes what its environment names.

        ``ask`` is what the request has beside its input.
        """
        assert self._process.stdin
        id_ = next(self._ids)
        self._asked[id_] = answer = Future[Reading]()
        ask = {"model": "gpt-5", **ask}
        question: dict[str, Any] = {"id": id_, "api": api, "how": how, "ask": ask}
        if base_url:
            question["base_url"] = base_url
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._abandon()
        return answer

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            reading = json.loads(line)
            self._asked.pop(reading["id"]).set_result(reading)
        self._abandon()

    def _abandon(self) -> None:
        """Nothing is answered any more."""
        code = self._process.wait(PATIENCE)
        for id_ in list(self._asked):
            if unanswered := self._asked.pop(id_, None):
                unanswered.set_exception(RuntimeError(f"the Node process ended with {code}"))
