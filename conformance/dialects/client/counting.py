"""Adds the verb `count` to any adapter: estimates tokens, corrected by the usage of finished runs.

def adapter():
    return Counting(Adapter())
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import aiohttp

from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.tokens import TokenFile, Tokens, messages_and_tools

_MODELS_TIMEOUT = 2.0
_LIMITS = {"input": "context_window", "output": "max_tokens"}
_FAILURES = (aiohttp.ClientError, OSError, TimeoutError, ValueError, RecursionError)


class Runs(Protocol):
    """An adapter that handles `run` messages of drive/1."""

    def hello(self) -> dict[str, object]: ...

    def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> Awaitable[dict[str, object]]: ...


class Counting:
    """Wraps an adapter: forwards its runs and answers `count` messages for it."""

    def __init__(self, adapter: Runs) -> None:
        self._adapter = adapter

    def hello(self) -> dict[str, object]:
        return self._adapter.hello()

    async def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> dict[str, object]:
        done = await self._adapter.run(run, emit, cancel)
        actual = integer(object_(done, "usage"), "input")
        # A missing count says nothing, and no request costs zero tokens.
        if actual and done.get("outcome") == "completed" and (file := _token_file(run)):
            tokens = file.read()
            tokens.learn(*messages_and_tools(run), actual)
            file.write(tokens)
        return done

    async def count(self, question: dict[str, object]) -> dict[str, object]:
        """Answer a `count` message with a `counted` one.

        It has no `limits` if the upstream's list of models does not give them.
        """
        file = _token_file(question)
        counted = (file.read() if file else Tokens()).count(*messages_and_tools(question))
        limits = await _limits(question)
        return {
            "type": "counted",
            "id": question["id"],
            "counts": list(counted.messages),
            "total": counted.total,
            **({"limits": limits} if limits else {}),
        }


def _token_file(message: Event) -> TokenFile | None:
    folder = string(message, "storage")
    return TokenFile(folder, string(message, "model")) if folder else None


async def _limits(question: Event) -> dict[str, int]:
    """The model's token limits in the upstream's list of models (`GET /models`), unchanged.

    Source: stream-mapping § Token Limit Communication. Its review subtracts 15 % from the input
    limit; its later decision, which is followed here, does not.
    """
    try:
        models = await _models(question)
    except _FAILURES:
        return {}
    wanted = string(question, "model")
    model = next((each for each in models if each.get("id") == wanted), {})
    limits = {side: integer(model, name) for side, name in _LIMITS.items()}
    return {side: tokens for side, tokens in limits.items() if tokens is not None}


async def _models(question: Event) -> list[Event]:
    url = string(question, "base_url").rstrip("/") + "/models"
    headers = {"Authorization": f"Bearer {string(question, 'api_key')}"}
    timeout = aiohttp.ClientTimeout(total=_MODELS_TIMEOUT)
    async with (
        aiohttp.ClientSession(timeout=timeout, headers=headers) as session,
        session.get(url) as response,
    ):
        listing = await response.json(content_type=None)
    return objects(listing, "data") if isinstance(listing, dict) else []
