"""Counting tokens: estimates before a request, and what it really cost behind it.

Nobody can count the tokens of a model that he does not have. But upstreams tell what a request has
cost, and a host asks again and again about the same messages. So of every message that was sent a
share of the actual count is kept under the hash of the message: a message that is added or edited
is estimated, and all others stay as they are. The shares of one request sum up to what it cost.

What is not known is estimated from its length, times a correction factor. That is a moving average
of actual counts over uncorrected estimates. (stream-mapping divides by the estimate as it was
corrected before. Where that is the same, at the first request, so is the factor; later on such an
average comes to rest at the root of the right one.) An estimate is not kept: to make it anew costs
nothing, and it is then corrected by what has been learnt since.

Tools are sent with the messages and cost tokens too. They are counted as one entry beside them,
which is in the total and in no message.

Source: stream-mapping § Accurate Token Tracking Design, § Tool Schema Token Estimation.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from conformance.dialects.client.fields import Event, object_, objects

CHARACTERS_A_TOKEN = 3.5
AROUND_A_MESSAGE = 4
OLD, NEW = 0.7, 0.3
MOST_KEPT = 10_000
# What a factor can sensibly be; one that is out of it was learnt from nonsense.
LEAST_FACTOR, MOST_FACTOR = 0.05, 20.0

# What of a message is sent: tokens of the host's own are not.
_SENT = ("role", "content", "callId")


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens of each message, and those of the tools that go with them."""

    messages: tuple[int, ...]
    tools: int

    @property
    def total(self) -> int:
        return sum(self.messages) + self.tools


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message, or the tools: by what it is known, and its uncorrected estimate."""

    key: str
    estimate: float

    @classmethod
    def of(cls, message: Event) -> _Entry:
        """Two messages that are sent alike are one."""
        content = message.get("content")
        words = content if isinstance(content, str) else _text(content)
        sent = {name: message[name] for name in _SENT if name in message}
        return cls(_hash(_text(sent)), len(words) / CHARACTERS_A_TOKEN + AROUND_A_MESSAGE)


def _said(messages: Iterable[Event]) -> Iterator[_Entry]:
    """Who says the same twice has paid for it twice, and not always the same."""
    before: Counter[str] = Counter()
    for entry in map(_Entry.of, messages):
        times = before[entry.key]
        before[entry.key] += 1
        yield replace(entry, key=f"{entry.key}:{times}") if times else entry


def _offered(tools: Sequence[Event]) -> list[_Entry]:
    """All tools are one entry, as one more or less of them is another request."""
    text = _text(list(tools))
    return [_Entry(_hash(text), len(text) / CHARACTERS_A_TOKEN)] if tools else []


@dataclass
class Tokens:
    """What is known of a model's tokens; no I/O. Tokens are kept by the hashes of what has them."""

    factor: float = 1.0
    known: dict[str, int] = field(default_factory=dict)

    def count(self, messages: Iterable[Event], tools: Sequence[Event] = ()) -> Counted:
        """What these cost: actual counts where there are any, estimates elsewhere."""
        return Counted(
            tuple(map(self._tokens, _said(messages))),
            sum(self._tokens(entry) for entry in _offered(tools)),
        )

    def learn(self, messages: Sequence[Event], tools: Sequence[Event], actual: int) -> None:
        """A request with these has cost so many input tokens."""
        entries = [*_offered(tools), *_said(messages)]
        ratio = actual / sum(entry.estimate for entry in entries)
        factor = OLD * self.factor + NEW * ratio
        shares = _shares([self._tokens(entry) for entry in entries], actual)
        self.factor = min(max(factor, LEAST_FACTOR), MOST_FACTOR)
        for entry, share in zip(entries, shares, strict=True):
            # To the end: the ones that nobody has asked about for long are the first to go.
            self.known.pop(entry.key, None)
            self.known[entry.key] = share
        for oldest in list(self.known)[:-MOST_KEPT]:
            del self.known[oldest]

    def _tokens(self, entry: _Entry) -> int:
        known = self.known.get(entry.key)
        return math.ceil(entry.estimate * self.factor) if known is None else known


def _shares(weights: Sequence[int], actual: int) -> list[int]:
    """So many tokens, divided as these weights are; the last one gets what is left over."""
    whole = sum(weights) or 1
    *shares, _ = [actual * weight // whole for weight in weights]
    return [*shares, actual - sum(shares)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Kept:
    """Tokens of a model in a folder that outlives the process.

    A file that is missing or broken is an empty one: what was learnt may be learnt again. It is
    replaced as a whole, so that nobody ever reads half of it.
    """

    def __init__(self, folder: str, model: str) -> None:
        # Each model has tokens of its own, and its name may not be a file's.
        self._path = Path(folder) / f"tokens-{_hash(model)[:16]}.json"

    def read(self) -> Tokens:
        try:
            kept = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return Tokens()
        return _tokens_of(kept) if isinstance(kept, dict) else Tokens()

    def write(self, tokens: Tokens) -> None:
        """Where it cannot be written, it is not kept."""
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"factor": tokens.factor, "known": tokens.known}, file)
                Path(name).replace(self._path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise


def _tokens_of(kept: Mapping[str, object]) -> Tokens:
    """What makes sense of what was kept."""
    factor = kept.get("factor")
    makes_sense = isinstance(factor, float) and LEAST_FACTOR <= factor <= MOST_FACTOR
    known = object_(kept, "known")
    counts = {
        key: count
        for key, count in known.items()
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0
    }
    return Tokens(factor if makes_sense and isinstance(factor, float) else 1.0, counts)


def asked(message: Event) -> tuple[list[Event], list[Event]]:
    """The messages and the tools of a `run` or a `count`."""
    return objects(message, "messages"), objects(message, "tools")
