"""The verb `count` for any adapter: it learns from the usage that runs end with.

def adapter():
    return Counting(Adapter())
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import aiohttp

from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.tokens import Kept, Tokens, asked

_MODELS_SECONDS = 2.0
_LIMITS = {"input": "context_window", "output": "max_tokens"}
_FAILURES = (aiohttp.ClientError, OSError, TimeoutError, ValueError, RecursionError)


class Runs(Protocol):
    """An adapter that plays runs."""

    def hello(self) -> dict[str, object]: ...

    def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> Awaitable[dict[str, object]]: ...


class Counting:
    """Hands runs on to an adapter, and counts for it."""

    def __init__(self, adapter: Runs) -> None:
        self._adapter = adapter

    def hello(self) -> dict[str, object]:
        return self._adapter.hello()

    async def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> dict[str, object]:
        done = await self._adapter.run(run, emit, cancel)
        actual = integer(object_(done, "usage"), "input")
        # What was not told teaches nothing; neither does a zero, which nothing costs.
        if actual and done.get("outcome") == "completed" and (kept := _kept(run)):
            tokens = kept.read()
            tokens.learn(*asked(run), actual)
            kept.write(tokens)
        return done

    async def count(self, question: dict[str, object]) -> dict[str, object]:
        """The `counted` message; a model whose figures are not told has no limits."""
        kept = _kept(question)
        counted = (kept.read() if kept else Tokens()).count(*asked(question))
        limits = await _limits(question)
        return {
            "type": "counted",
            "id": question["id"],
            "counts": list(counted.messages),
            "total": counted.total,
            **({"limits": limits} if limits else {}),
        }


def _kept(message: Event) -> Kept | None:
    folder = string(message, "storage")
    return Kept(folder, string(message, "model")) if folder else None


async def _limits(question: Event) -> dict[str, int]:
    """The model's own figures, with nothing taken off (stream-mapping § Token Limit Communication).

    Its review takes 15 % off the input; the decision that came later does not.
    """
    try:
        models = await _models(question)
    except _FAILURES:
        return {}
    wanted = string(question, "model")
    model = next((each for each in models if each.get("id") == wanted), {})
    told = {side: integer(model, name) for side, name in _LIMITS.items()}
    return {side: tokens for side, tokens in told.items() if tokens is not None}


async def _models(question: Event) -> list[Event]:
    url = string(question, "base_url").rstrip("/") + "/models"
    headers = {"Authorization": f"Bearer {string(question, 'api_key')}"}
    patient = aiohttp.ClientTimeout(total=_MODELS_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=patient, headers=headers) as session,
        session.get(url) as response,
    ):
        told = await response.json(content_type=None)
    return objects(told, "data") if isinstance(told, dict) else []
