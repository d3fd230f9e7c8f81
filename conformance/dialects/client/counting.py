"""Token counting without the model's tokenizer: estimates, and counts learnt from usage.

`Counting` adds the verb `count` to any adapter:

    def adapter():
        return Counting(Adapter())

Upstreams report the input tokens of each request, and a host asks about the same messages again and
again. So the reported count of a request is divided among its messages, and each share is stored
under the hash of its message. A message that was added or edited is estimated; the others keep
their stored counts. The shares of one request sum up to its reported count.

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
import os
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
)

CHARACTERS_PER_TOKEN = 3.5
TOKENS_PER_MESSAGE = 4
OLD_WEIGHT, NEW_WEIGHT = 0.7, 0.3
MAX_ENTRIES = 10_000
# The plausible range of a factor; a value outside was learnt from wrong counts.
MIN_FACTOR, MAX_FACTOR = 0.05, 20.0

# The fields of a message that are sent upstream; the host's own fields cost no tokens.
_SENT = ("role", "content", "callId")


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

    @classmethod
    def of(cls, message: Event) -> _Entry:
        """The entry of a message; messages that are equal when sent have the same key."""
        content = message.get("content")
        words = content if isinstance(content, str) else _text(content)
        sent = {name: message[name] for name in _SENT if name in message}
        return cls(_hash(_text(sent)), len(words) / CHARACTERS_PER_TOKEN + TOKENS_PER_MESSAGE)


def _message_entries(messages: Iterable[Event]) -> Iterator[_Entry]:
    """One entry for each message; repetitions of a message have keys of their own.

    Each repetition costs tokens, and its share may differ.
    """
    before: Counter[str] = Counter()
    for entry in map(_Entry.of, messages):
        times = before[entry.key]
        before[entry.key] += 1
        yield replace(entry, key=f"{entry.key}:{times}") if times else entry


def _tool_entries(tools: Sequence[Event]) -> list[_Entry]:
    """One entry for all tools together; none without tools."""
    text = _text(list(tools))
    return [_Entry(_hash(text), len(text) / CHARACTERS_PER_TOKEN)] if tools else []


@dataclass
class Tokens:
    """What was learnt about one model: the correction factor, and stored counts by entry key."""

    factor: float = 1.0
    known: dict[str, int] = field(default_factory=dict)

    def count(self, messages: Iterable[Event], tools: Sequence[Event] = ()) -> Counted:
        """Count messages and tools: stored counts where known, else estimates."""
        return Counted(
            tuple(map(self._tokens, _message_entries(messages))),
            sum(self._tokens(entry) for entry in _tool_entries(tools)),
        )

    def learn(self, messages: Sequence[Event], tools: Sequence[Event], actual: int) -> None:
        """Learn that a request with these messages and tools cost ``actual`` input tokens."""
        entries = [*_tool_entries(tools), *_message_entries(messages)]
        ratio = actual / sum(entry.estimate for entry in entries)
        factor = OLD_WEIGHT * self.factor + NEW_WEIGHT * ratio
        shares = _shares([self._tokens(entry) for entry in entries], actual)
        self.factor = min(max(factor, MIN_FACTOR), MAX_FACTOR)
        for entry, share in zip(entries, shares, strict=True):
            # Moved to the end, so that the entries not used for longest are dropped first.
            self.known.pop(entry.key, None)
            self.known[entry.key] = share
        for oldest in list(self.known)[:-MAX_ENTRIES]:
            del self.known[oldest]

    def _tokens(self, entry: _Entry) -> int:
        known = self.known.get(entry.key)
        return math.ceil(entry.estimate * self.factor) if known is None else known


def _shares(weights: Sequence[int], actual: int) -> list[int]:
    """Divide tokens in proportion to the weights; the last share takes the remainder."""
    total = sum(weights) or 1
    *shares, _ = [actual * weight // total for weight in weights]
    return [*shares, actual - sum(shares)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class TokenFile:
    """Stores the tokens of one model in a file.

    A missing or broken file reads as empty, since the counts can be learnt again. Writing replaces
    the file atomically, so that no reader sees half of it.
    """

    def __init__(self, folder: str, model: str) -> None:
        # The name of a model may not be a valid file name.
        self._path = Path(folder) / f"tokens-{_hash(model)[:16]}.json"

    def read(self) -> Tokens:
        """The stored tokens; empty if the file is missing or broken."""
        try:
            stored = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return Tokens()
        return _valid_tokens(stored) if isinstance(stored, dict) else Tokens()

    def write(self, tokens: Tokens) -> None:
        """Write the file; an OSError is ignored."""
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"factor": tokens.factor, "known": tokens.known}, file)
                Path(name).replace(self._path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise


def _valid_tokens(stored: Mapping[str, object]) -> Tokens:
    """The valid values of a stored file; an implausible factor reads as 1."""
    factor = stored.get("factor")
    plausible = isinstance(factor, float) and MIN_FACTOR <= factor <= MAX_FACTOR
    known = object_(stored, "known")
    counted = {
        key: count
        for key, count in known.items()
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0
    }
    return Tokens(factor if plausible and isinstance(factor, float) else 1.0, counted)


def messages_and_tools(message: Event) -> tuple[list[Event], list[Event]]:
    """The messages and the tools of a `run` or `count` message."""
    return objects(message, "messages"), objects(message, "tools")


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
    return counts(model, _LIMITS)


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
