"""The openai package of npm in a Node process; ``node/read.mjs`` has its questions and answers."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import Any, Literal, NotRequired, Self, TypedDict

from tests.clients.node_process import NodeProcess
from tests.clients.npm import PROJECT

Api = Literal["responses", "chat"]
How = Literal["raw", "helper", "whole"]


class Call(TypedDict):
    id: str
    name: str
    arguments: str


class Error(TypedDict):
    """An error; ``name`` is the class of the exception, or ``failed`` for a failed response."""

    name: str
    message: str
    code: str | None


class Reading(TypedDict):
    """What the client has read of a stream (the fields are explained in ``node/read.mjs``).

    ``final`` and ``held`` are set if the stream helper read a stream to its end.
    """

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
    """The Node process with the openai package, as a context manager; ``env`` is added."""

    def __init__(self, **env: str) -> None:
        ours = {name: v for name, v in os.environ.items() if not name.startswith("OPENAI_")}
        self._process = NodeProcess(PROJECT, {**ours, "OPENAI_API_KEY": "any", **env})

    def __enter__(self) -> Self:
        self._process.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._process.__exit__(*error)

    def ask(
        self, how: How, base_url: str | None = None, api: Api = "responses", **ask: Any
    ) -> Future[Reading]:
        """Read one stream; without a base URL the one from the environment.

        ``ask`` has the request's fields other than its input.
        """
        question: dict[str, Any] = {"api": api, "how": how, "ask": {"model": "gpt-5", **ask}}
        return self._process.ask({**question, **({"base_url": base_url} if base_url else {})})
