"""Values that findings of several rules have: calls, texts, traits, errors, endings and items."""

import re
from dataclasses import dataclass
from typing import Any, Literal

FailureInstead = Literal["", "ending", "text"]
"""How a run reports a failure that would be right as well; empty if it would be wrong."""


@dataclass(frozen=True, slots=True)
class CallValue:
    """A call: the name of its tool, its input, and its id, which is empty if any is right."""

    name: str
    input: Any
    id: str = ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A text, and the number of characters before the place in it that matters."""

    text: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Declared:
    """A trait and the value that holds, which is the default unless the adapter declares it."""

    trait: str
    value: str
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class OtherEnding:
    """An ending that is right with other parts: with the text, with calls, or with any others."""

    outcome: str
    with_text: bool = False
    with_calls: tuple[CallValue, ...] = ()
    with_others: bool = False


@dataclass(frozen=True, slots=True)
class RightEndings:
    """The outcomes that are right for the parts of a run, and those that other parts need."""

    outcomes: tuple[str, ...]
    others: tuple[OtherEnding, ...] = ()


@dataclass(frozen=True, slots=True)
class EndedValue:
    """How a run or a count ended: its verdict, the reason for it, and the class of its error."""

    verdict: str
    reason: str = ""
    error_class: str = ""


@dataclass(frozen=True, slots=True)
class WellUntil:
    """The event up to which a run went well, -1 for none, and the ignorable events to suspect.

    The only suspect is that event itself; of several, which come after it, none is accused alone.
    """

    event: int
    type: str
    suspects: tuple[int, ...]

    @property
    def is_accused(self) -> bool:
        """Whether the event itself is the one to be ignored."""
        return self.suspects == (self.event,)


@dataclass(frozen=True, slots=True)
class ErrorValue:
    """An error: its message, the innermost cause that it names, and the class of that cause."""

    message: str = ""
    cause: str = ""
    error_class: str = ""


@dataclass(frozen=True, slots=True)
class EventValue:
    """An item of the upstream's stream: an event and what it says, or bytes and their text."""

    n: int
    kind: str
    type: str
    says: str = ""


UpstreamAct = Literal[
    "no-request", "refused-request", "called-unoffered", "answered", "answered-plainly",
    "answering", "sent", "sent-error", "refused", "sent-no-event", "sent-lost-text",
    "sent-lost-calls", "sent-incomplete", "left", "left-in-silence", "cut", "reset", "half-close",
    "stall", "completed", "ended", "completed-with-calls", "cut-short",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class UpstreamValue:
    """What the upstream did that decides how a run should end.

    ``event`` is the event that says so, or else the last one that was sent. ``lacks`` names the
    events that would have ended the stream; ``reason`` is why the response was cut short.
    ``dropped`` is whether none of the ``calls`` came out; ``host_calls`` is how many the host runs.
    """

    did: UpstreamAct
    event: EventValue | None = None
    status: int = 0
    media_type: str = ""
    calls: tuple[str, ...] = ()
    dropped: bool = False
    lacks: str = ""
    reason: str = ""
    host_calls: int = 0

    @property
    def way(self) -> str:
        """What the upstream did, with the type of the event that says so, for causes."""
        says = self.event.type if self.event and self.did in ("sent", "sent-error") else ""
        return f"{self.did} {says}".strip()


@dataclass(frozen=True, slots=True)
class DueEnding:
    """When a run should have ended, and how: after an event, or once something is over."""

    outcomes: tuple[str, ...]
    once: Literal["cancelled", "event", "silent", "answered"]
    event: EventValue | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class OutsideOfRuns:
    """When something happened for which no single run can be blamed."""

    after: str
    in_flight: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PieceValue:
    """What a part has: its text, or else only its type."""

    type: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ItemValue:
    """An output item: its index, and its type and id if they are known."""

    index: int
    type: str = ""
    id: Any = ""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two versions of a text that differ after their first ``at`` characters.

    A source is the type of the event that has the version; empty for the deltas joined. ``text``
    and ``other_text`` are what follows the common beginning.
    """

    at: int
    source: str
    text: str
    other_source: str
    other_text: str


@dataclass(frozen=True, slots=True)
class SchemaError:
    """What a schema refuses: the JSON path, the failed keyword, and the words of the validator."""

    path: str
    keyword: str
    says: str

    @property
    def place(self) -> str:
        """The path without its root; empty for the whole value."""
        return self.path.removeprefix("$").removeprefix(".")

    @property
    def what(self) -> str:
        """The keyword; a missing field by the validator's words, which name it."""
        return self.says if self.keyword == "required" else self.keyword

    @property
    def pattern(self) -> str:
        """The place without indexes, and what failed there: equal for errors of one cause."""
        return re.sub(r"\[\d+\]", "[*]", self.path) + " " + self.what


@dataclass(frozen=True, slots=True)
class DataValue:
    """Data with its media type, in base64."""

    mime_type: str
    data: str


@dataclass(frozen=True, slots=True)
class RightData:
    """The data that is due, each once, and the data that may come."""

    due: tuple[DataValue, ...]
    optional: tuple[DataValue, ...]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of one of the upstream's own tools: its id in the parts, and the kind of its tool."""

    id: str | None
    tool: str


@dataclass(frozen=True, slots=True)
class ToolResultValue:
    """What a tool of the upstream gave: its value, or its failure with the texts of its error."""

    use: ToolUse
    failed: bool
    error: tuple[str, ...]
    value: Any
