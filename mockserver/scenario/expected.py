"""The expected results of a turn as frozen values: parts, outcome, and state at checkpoints."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mockserver.scenario.script import Citation, Json

Outcome = Literal["completed", "incomplete", "failed"]


@dataclass(frozen=True, slots=True)
class ExpectText:
    """Text of the answer; with ``begins``, it is the start of a new message."""

    value: str
    begins: bool = False


@dataclass(frozen=True, slots=True)
class ExpectReasoning:
    """Text of the model's reasoning."""

    value: str


@dataclass(frozen=True, slots=True)
class ExpectRefusal:
    """Text of a refusal."""

    value: str


@dataclass(frozen=True, slots=True)
class ExpectCall:
    """A call; it may be emitted at its place among the parts, or later.

    Without an ``id``, any unique id is right, and without a ``name``, any name. ``raw`` is an input
    that is text instead of an object; an adapter may wrap it in any way.
    """

    id: str
    name: str
    input: Json
    raw: str = ""


@dataclass(frozen=True, slots=True)
class ExpectCite:
    """A citation, emitted as a link at its place among the texts."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class ExpectData:
    """Binary data in base64, with its media type; it may have any place among other parts.

    If ``by_url``, the upstream sends only the URL of the data.
    """

    mime_type: str
    data: str
    by_url: bool = False


ExpectPart = ExpectText | ExpectReasoning | ExpectRefusal | ExpectCall | ExpectCite | ExpectData


@dataclass(frozen=True, slots=True)
class ExpectError:
    """The upstream's error message and code; empty if it sent none."""

    message: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class ExpectAt:
    """Expectations at a checkpoint: calls that must have been emitted, and calls that must not."""

    calls: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expect:
    """One correct result of a turn: its parts, its outcome, and what holds at checkpoints.

    ``choices`` has the index of the choice of each part; empty if all are 0.
    """

    parts: tuple[ExpectPart, ...]
    outcome: Outcome = "completed"
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    choices: tuple[int, ...] = ()
