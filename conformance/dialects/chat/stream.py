"""Groups a stream of chunks into choices and their calls, as the input of all legality rules.

Grouping is lenient: a choice without an index is the first one. An event that is neither a chunk,
nor a notice of Copilot's proxy, nor an error is ``lost``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from mockserver.dialects.chat import chunks
from mockserver.foundation.json_fields import mapping, text

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: an event with a list of choices, which may be empty."""

    n: int
    data: Json


@dataclass(frozen=True, slots=True)
class Step:
    """One choice in one chunk."""

    n: int
    choice: Json

    @property
    def delta(self) -> Json:
        return mapping(self.choice.get("delta"))

    @property
    def reason(self) -> str:
        """The finish reason; empty if the choice continues."""
        return text(self.choice.get("finish_reason"))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment of a call, and the number of the event that has it."""

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
    """One choice, with its steps in all chunks, in order."""

    index: int
    steps: list[Step] = field(default_factory=list)

    @property
    def finish(self) -> Step | None:
        """The first step with a finish reason; None if there is none."""
        return next((step for step in self.steps if step.reason), None)

    @property
    def fragments(self) -> list[Fragment]:
        """The fragments of its calls, up to and including its finish."""
        last = self.finish.n if self.finish else self.steps[-1].n
        steps = (step for step in self.steps if step.n <= last)
        return [Fragment(s.n, call) for s in steps for call in chunks.calls(s.delta)]


class Chat:
    """One streamed completion, with all its choices."""

    def __init__(self, sent: Sequence[SentEvent], framing: Framing | None) -> None:
        self.sent = tuple(sent)
        self.framing = framing
        self.chunks: list[Chunk] = []
        # The numbers of notices of Copilot's proxy, which belong to no choice
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
