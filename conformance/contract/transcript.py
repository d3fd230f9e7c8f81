"""Everything about one run as data (``schemas/transcript.json``).

Times are seconds since the run began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from conformance.contract.json_values import omit_if_default, structured, unstructured
from mockserver.dialects.aliases import canonical, canonical_case, canonical_scenario

Part = Mapping[str, Any]

Verdict = Literal[
    "completed",
    "failed",
    "cancelled",
    "timed-out",
    "hung",
    "crashed",
    "broke-protocol",
    "unsupported",
    "not-run",
]
EndOutcome = Literal["completed", "failed", "cancelled", "error", "unsupported"]


@dataclass(frozen=True, slots=True)
class SentEvent:
    """One thing that the upstream sent: an event, a comment, raw bytes or ``[DONE]``."""

    n: int
    at: float
    kind: str
    type: str
    data: Any = None
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """The moment and the manner in which the client left before the response had ended."""

    at: float
    how: str


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain answer: its headers, and the start of its body as text."""

    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Wire:
    """The body of an answer as it went out: how many bytes, and their SHA-256 in hex."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Request:
    """One request that reached the upstream, and what it was answered with.

    ``attempt`` counts the requests that its turn has answered, this one included.
    """

    n: int
    at: float
    method: str
    path: str
    status: int
    turn: int | None = None
    why: str = ""
    body: Any = None
    problems: tuple[str, ...] = ()
    events: tuple[SentEvent, ...] = ()
    left: Left | None = None
    # When the answer was over, its client gone included; None while it goes on.
    ended: float | None = None
    attempt: int = 1
    answer: Plain | None = None
    wire: Wire | None = None
    # Those that its dialect reads, their names in lower case.
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Emitted:
    """One part that came out of the adapter."""

    n: int
    at: float
    part: Part


@dataclass(frozen=True, slots=True)
class Reached:
    """A checkpoint: how many parts were out when the stream went on, and whether the text was."""

    name: str
    event: int
    parts: int
    reached: bool
    waited: float


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The moment at which the adapter knew that it was cancelled, and the parts out by then."""

    at: float
    parts: int
    by: Literal["after_parts", "checkpoint"]


@dataclass(frozen=True, slots=True)
class Told:
    """What an adapter said of a failure."""

    kind: str = "unknown"
    message: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """How the adapter said that the run ended; ``error`` is the adapter's own fault."""

    at: float
    outcome: EndOutcome
    finish: str | None = None
    usage: Mapping[str, Any] | None = None
    error: Told | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What the host hands to the adapter for one turn, as drive/1 has it.

    The ``token`` is for the tools that are called, and no concern of the upstream's; ``options``
    are, in the dialect's own terms.
    """

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    token: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One run of one case by one adapter."""

    case: str
    scenario: str
    dialect: str
    vocabulary: str
    adapter: str
    verdict: Verdict
    requests: tuple[Request, ...] = ()
    parts: tuple[Emitted, ...] = ()
    checkpoints: tuple[Reached, ...] = ()
    cancelled: Cancelled | None = None
    ends: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
    # What the host handed over, where it matters; of a conversation the turn, and those before.
    turn: int = 0
    asked: Asked | None = None
    before: tuple[Transcript, ...] = ()

    @property
    def turns(self) -> tuple[Transcript, ...]:
        """Every turn of the conversation, in order; this is the last one."""
        return (*self.before, self)

    @property
    def posts(self) -> tuple[Request, ...]:
        """The requests that ask for an answer; others look something up."""
        return tuple(request for request in self.requests if request.method == "POST")

    @property
    def played(self) -> tuple[Request, ...]:
        """The requests that a turn answered; the answer to the last of them counts."""
        return tuple(request for request in self.requests if request.turn is not None)

    @property
    def sent(self) -> tuple[SentEvent, ...]:
        """What the answer that counts sent."""
        return self.played[-1].events if self.played else ()

    @property
    def plain(self) -> Plain | None:
        """The answer that counts, where it is a plain one."""
        return self.played[-1].answer if self.played else None

    @property
    def attempt(self) -> int:
        """The number of the attempt whose answer counts."""
        return self.played[-1].attempt if self.played else 1

    @property
    def end(self) -> End | None:
        """The first ending."""
        return self.ends[0] if self.ends else None

    def to_json(self) -> dict[str, Any]:
        """The transcript as plain data; optional fields that are empty are left out.

        What belongs to a conversation is left out where nothing is known of one.
        """
        value: dict[str, Any] = unstructured(self)
        if self.asked is None:
            return {name: value[name] for name in value if name not in ("turn", "asked", "before")}
        return value


omit_if_default(Request, "headers")
omit_if_default(End, "finish", "usage", "error")

VERDICTS: Mapping[EndOutcome, Verdict] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "error": "crashed",
    "unsupported": "unsupported",
}
"""The verdict of a run that ended by itself, with this ending."""


def end_of(message: Mapping[str, Any], at: float) -> End:
    """An ending from a drive/1 ``done``, ``counted``, ``error`` or ``unsupported`` message."""
    if message["type"] == "counted":
        return End(at, "completed")
    if message["type"] == "unsupported":
        return End(at, "unsupported", error=Told("unknown", str(message.get("reason", ""))))
    if message["type"] == "error":
        return End(at, "error", error=Told("unknown", str(message.get("message", ""))))
    error = message.get("error")
    told = (
        Told(error.get("kind", "unknown"), error.get("message") or "", str(error.get("code") or ""))
        if error
        else None
    )
    return End(at, message["outcome"], message.get("finish"), message.get("usage"), told)


def from_json(value: Mapping[str, Any]) -> Transcript:
    """A transcript from what ``to_json`` gave."""
    return canonical_names(structured(value, Transcript))


def canonical_names(transcript: Transcript) -> Transcript:
    """A transcript in which dialects have their own names, in each of its turns."""
    return replace(
        transcript,
        case=canonical_case(transcript.case),
        scenario=canonical_scenario(transcript.scenario),
        dialect=canonical(transcript.dialect),
        before=tuple(map(canonical_names, transcript.before)),
    )
