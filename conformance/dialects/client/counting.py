"""Token counting without the model's tokenizer: estimates, and counts learnt from usage.

`Counting` adds the verb `count` to any adapter:

    def adapter():
        return Counting(Adapter())

Upstreams report the input tokens of each request, and a host asks about the same messages again and
again. So the reported count of a request is divided among its messages, and each share is stored
under the hash of its message. A message that was added or edited is estimated; the others keep
their stored counts. Shares are rounded up.

An estimate is the length of the text times a correction factor. The factor is a moving average of
the ratio of actual counts to uncorrected estimates. (stream-mapping divides by the corrected
estimate. At the first request the two are the same; later, the average of stream-mapping converges
to the square root of the right factor.) Estimates are not stored: recomputing one is cheap, and
uses the latest factor.

Tools are sent with the messages and cost tokens too. They are counted as one entry of their own,
which is part of the total and of no message.

Source: stream-mapping § Accurate Token Tracking Design, § Tool Schema Token Estimation.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import aiohttp

from conformance.dialects.client.fields import (
    Event,
    Part,
    counts,
    integer,
    object_,
    objects,
    string,
    without_host_fields,
)

CHARACTERS_PER_TOKEN = 3.5
TOKENS_PER_MESSAGE = 4
OLD_WEIGHT, NEW_WEIGHT = 0.7, 0.3


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens of each message, and of the tools sent with them."""

    messages: tuple[int, ...]
    tools: int

    @property
    def total(self) -> int:
        return sum(self.messages) + self.tools


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message, or all tools: the key of its stored count, and its uncorrected estimate."""

    key: str
    estimate: float


def _message_entry(message: Event) -> _Entry:
    """The entry of a message; messages that are equal when sent have the same key."""
    content = message.get("content")
    words = content if isinstance(content, str) else json.dumps(content)
    estimate = len(words) / CHARACTERS_PER_TOKEN + TOKENS_PER_MESSAGE
    return _Entry(_hash(without_host_fields(message)), estimate)


def _tool_entries(tools: Sequence[Event]) -> list[_Entry]:
    """One entry for all tools together; none without tools."""
    return [_Entry(_hash(tools), len(json.dumps(tools)) / CHARACTERS_PER_TOKEN)] if tools else []


@dataclass
class Tokens:
    """What was learnt from usage: the correction factor, and stored counts by entry key."""

    factor: float = 1.0
    known: dict[str, int] = field(default_factory=dict)

    def count(self, messages: Iterable[Event], tools: Sequence[Event] = ()) -> Counted:
        """Count messages and tools: stored counts where known, else estimates."""
        return Counted(
            tuple(self._tokens(_message_entry(message)) for message in messages),
            sum(map(self._tokens, _tool_entries(tools))),
        )

    def learn(self, messages: Sequence[Event], tools: Sequence[Event], actual: int) -> None:
        """Learn that a request with these messages and tools cost ``actual`` input tokens."""
        entries = [*_tool_entries(tools), *map(_message_entry, messages)]
        ratio = actual / sum(entry.estimate for entry in entries)
        scale = actual / sum(map(self._tokens, entries))
        self.known |= {entry.key: math.ceil(self._tokens(entry) * scale) for entry in entries}
        self.factor = OLD_WEIGHT * self.factor + NEW_WEIGHT * ratio

    def _tokens(self, entry: _Entry) -> int:
        known = self.known.get(entry.key)
        return math.ceil(entry.estimate * self.factor) if known is None else known


def _hash(value: object) -> str:
    return sha256(json.dumps(value).encode()).hexdigest()


class TokenFile:
    """Stores what was learnt in a file of the host's storage; a missing file reads as empty."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "tokens.json"

    def read(self) -> Tokens:
        return Tokens(**json.loads(self._path.read_bytes())) if self._path.exists() else Tokens()

    def write(self, tokens: Tokens) -> None:
        self._path.write_bytes(json.dumps(asdict(tokens)).encode())


def messages_and_tools(message: Event) -> tuple[list[Event], list[Event]]:
    """The messages and the tools of a `run` or `count` message."""
    return objects(message, "messages"), objects(message, "tools")


_LIMITS = {"input": "context_window", "output": "max_tokens"}


class Runs(Protocol):
    """An adapter that handles `run` messages of drive/1."""

    def hello(self) -> dict[str, object]: ...

    def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> Awaitable[dict[str, object]]: ...


class Counting:
    """Wraps an adapter: forwards its runs and answers `count` messages for it."""

    def __init__(self, adapter: Runs) -> None:
        self.adapter = adapter

    def hello(self) -> dict[str, object]:
        return self.adapter.hello()

    async def run(
        self, run: dict[str, object], emit: Callable[[Part], None], cancel: asyncio.Event
    ) -> dict[str, object]:
        done = await self.adapter.run(run, emit, cancel)
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
    return TokenFile(folder) if folder else None


async def _limits(question: Event) -> dict[str, int]:
    """The model's token limits in the upstream's list of models (`GET /models`), unchanged.

    Source: stream-mapping § Token Limit Communication. Its review subtracts 15 % from the input
    limit; its later decision, which is followed here, does not.
    """
    headers = {"Authorization": f"Bearer {string(question, 'api_key')}"}
    try:
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.get(string(question, "base_url") + "/models") as response,
        ):
            models = objects(await response.json(), "data")
    except aiohttp.ClientError:
        return {}
    wanted = string(question, "model")
    of_model = [counts(model, _LIMITS) for model in models if model.get("id") == wanted]
    return {side: limit for each in of_model for side, limit in each.items()}
