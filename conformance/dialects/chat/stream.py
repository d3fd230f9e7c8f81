"""What a stream of chunks says, put together once for all rules: its choices and their calls.

The reading is lenient: a choice without an index is the first, a fragment without one continues the
last call. An event that is neither a chunk, a notice nor an error is ``lost``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: an event with a list of choices, be it empty."""

    n: int
    data: Json


@dataclass(frozen=True, slots=True)
class Step:
    """What one chunk says of one choice."""

    n: int
    choice: Json

    @property
    def delta(self) -> Json:
        return mapping(self.choice.get("delta"))

    @property
    def reason(self) -> str:
        """The finish reason; empty where the choice goes on."""
        return text(self.choice.get("finish_reason"))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment of a call in the choice that it stands in."""

    n: int
    data: Json

    @property
    def index(self) -> int | None:
        found = self.data.get("index")
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    @property
    def id(self) -> str:
        return text(self.data.get("id"))

    @property
    def function(self) -> Json:
        return mapping(self.data.get("function"))


@dataclass(slots=True)
class Choice:
    """One choice: what every chunk says of it, in order."""

    index: int
    steps: list[Step] = field(default_factory=list)

    @property
    def finish(self) -> Step | None:
        """What finished it first."""
        return next((step for step in self.steps if step.reason), None)

    @property
    def fragments(self) -> list[Fragment]:
        """The fragments of its calls up to its finish."""
        last = self.finish.n if self.finish else self.steps[-1].n
        steps = (step for step in self.steps if step.n <= last)
        return [Fragment(s.n, call) for s in steps for call in chunks.calls(s.delta)]

    def __str__(self) -> str:
        return f"choice {self.index}"


class Chat:
    """One answer as it was streamed, in as many choices as it has."""

    def __init__(self, sent: Sequence[SentEvent], framing: Framing | None) -> None:
        self.sent = tuple(sent)
        self.framing = framing
        self.chunks: list[Chunk] = []
        # Notices of the proxy, which belong to no choice.
        self.notices: list[int] = []
        self.failures: list[int] = []
        self.lost: set[int] = set()
        self.choices: dict[int, Choice] = {}
        for one in (one for one in self.sent if one.kind == "event"):
            self._sort(one)

    def _sort(self, one: SentEvent) -> None:
        data = mapping(one.data)
        if chunks.error_in(data) is not None:
            self.failures.append(one.n)
        elif isinstance(data.get("choices"), list):
            self._add(Chunk(one.n, data))
        elif any(name.startswith("copilot_") for name in data):
            self.notices.append(one.n)
        else:
            self.lost.add(one.n)

    def _add(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        for choice in chunks.choices(chunk.data):
            at = chunks.index(choice)
            self.choices.setdefault(at, Choice(at)).steps.append(Step(chunk.n, choice))
