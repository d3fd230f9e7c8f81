"""The transcript of a run: requests, sent events, emitted parts and the ending.

Its JSON form is ``schemas/transcript.json``. Times are seconds since the run began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from conformance.contract.json_values import omit_if_default, structure, unstructure
from mockserver.scenario.script import CloseHow

Part = Mapping[str, Any]

RELEASE_SECONDS = 1.0
"""The time from the cancellation of a run to the release of its upstream connection."""

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
    """One item that the upstream sent: an event, a comment, raw bytes or ``[DONE]``.

    ``n`` is its index in the stream. A client must ignore an ``ignorable`` one.
    """

    n: int
    at: float
    kind: str
    type: str
    data: Any = None
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class Disconnect:
    """When and how the client disconnected before the response had ended."""

    at: float
    how: str


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer that is not a stream: its headers, and the start of its body as text."""

    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class BodyDigest:
    """The size in bytes and the SHA-256 in hex of the body of an answer as sent."""

    bytes: int
    sha256: str


def digest_of(body: bytes) -> BodyDigest:
    """The size and the checksum of a body."""
    return BodyDigest(len(body), sha256(body).hexdigest())


@dataclass(frozen=True, slots=True)
class Request:
    """One request that reached the upstream, and its answer.

    ``turn`` is the turn of the scenario that answered it; None if none did, and ``why`` says why.
    ``attempt`` counts the requests that this turn has answered, this one included. ``ended`` is
    when the answer ended or its client disconnected; None while it goes on. ``headers`` are the
    request headers that the dialect reads, with names in lower case; ``authorization`` is the
    header of that name, with its secret replaced, or empty. ``close`` is how the scenario closes
    the stream.
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
    left: Disconnect | None = None
    ended: float | None = None
    attempt: int = 1
    answer: PlainAnswer | None = None
    wire: BodyDigest | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    authorization: str = ""
    close: CloseHow = "clean"


@dataclass(frozen=True, slots=True)
class Emitted:
    """One part that the adapter emitted; ``n`` is its index."""

    n: int
    at: float
    part: Part


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """What was seen at a checkpoint, where the stream waits for the adapter.

    ``event`` is the number of the event before it. ``parts`` counts the parts that were emitted
    when the stream went on, ``waited`` is how long it waited in seconds, and ``reached`` is whether
    all text sent so far had been emitted. ``late`` are the seconds of the wait that do not count,
    because the kit itself was late.
    """

    name: str
    event: int
    parts: int
    reached: bool
    waited: float
    late: float = 0.0


@dataclass(frozen=True, slots=True)
class Cancelled:
    """When the adapter learned of its cancellation, and how many parts it had emitted by then.

    ``release`` is the time in seconds that it had to release its upstream connection.
    """

    at: float
    parts: int
    by: Literal["after_parts", "checkpoint"]
    release: float = RELEASE_SECONDS


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that an adapter's process did when no single run could be blamed for it.

    ``what`` says it in words. ``in_flight`` are the cases of the runs that were in flight, and
    ``after`` is the case of the run that had ended last; for a late message, of its own run.
    ``stderr`` is the last line that the process had written there. ``n`` is unique within a driver.
    """

    n: int
    kind: Literal["ended", "invalid-line", "late-message"]
    what: str
    in_flight: tuple[str, ...] = ()
    after: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class Try:
    """A try of a run that was played several times, all but the first alone.

    ``why`` says why it was not certain, or which limit it exceeded; empty if it ended in time.
    ``busy`` is as in ``Transcript``.
    """

    verdict: Verdict
    why: str = ""
    busy: float | None = None


@dataclass(frozen=True, slots=True)
class ReportedError:
    """A failure as the adapter reported it.

    ``thrown`` is the class of the error if a host caught one that it does not know.
    """

    kind: str = "unknown"
    message: str = ""
    code: str = ""
    thrown: str = ""

    def to_json(self) -> dict[str, str]:
        """The failure as a reading has it: with its kind, message and code."""
        return {"kind": self.kind, "message": self.message, "code": self.code}


@dataclass(frozen=True, slots=True)
class End:
    """The end of a run as the adapter reported it.

    The outcome ``error`` is an error of the adapter itself; ``failed`` is a failed response.
    """

    at: float
    outcome: EndOutcome
    finish: str | None = None
    usage: Mapping[str, Any] | None = None
    error: ReportedError | None = None


@dataclass(frozen=True, slots=True)
class TurnInput:
    """The input of one turn that the host gives to the adapter, in the format of drive/1.

    ``token`` is the token of the tool invocation, which must not reach the upstream. ``options``
    are request options under the names of the dialect. ``has_key`` says that the adapter was given
    a key for the upstream.
    """

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    token: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    has_key: bool = False


# Runtimes wake up now and then; work takes or awaits a processor nearly all the time.
_IDLE = 0.05


@dataclass(frozen=True, slots=True)
class Transcript:
    """One run of one case by one adapter.

    ``asked`` is the input of the turn, kept only for cases that judge requests. ``turn`` is the
    number of the turn in a conversation, ``before`` the transcripts of the turns before it.
    ``incidents`` are those that this run has to answer for, ``tries`` all tries of a run that was
    played several times, of which this one counts. ``busy`` is, for a run that exceeded its limit,
    the share of its last seconds in which the adapter's threads ran, or waited for a processor or a
    disk; None if it is not known.
    """

    case: str
    scenario: str
    dialect: str
    vocabulary: str
    adapter: str
    verdict: Verdict
    requests: tuple[Request, ...] = ()
    parts: tuple[Emitted, ...] = ()
    checkpoints: tuple[CheckpointResult, ...] = ()
    cancelled: Cancelled | None = None
    ends: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
    turn: int = 0
    asked: TurnInput | None = None
    before: tuple[Transcript, ...] = ()
    incidents: tuple[Incident, ...] = ()
    tries: tuple[Try, ...] = ()
    busy: float | None = None

    @property
    def turns(self) -> tuple[Transcript, ...]:
        """The transcripts of all turns so far, in order; this one is last."""
        return (*self.before, self)

    @property
    def was_idle(self) -> bool:
        """Whether the adapter is known to have done nothing in the last seconds of the run."""
        return self.busy is not None and self.busy < _IDLE

    @property
    def posts(self) -> tuple[Request, ...]:
        """The POST requests, which ask for a response; others look something up."""
        return tuple(request for request in self.requests if request.method == "POST")

    @property
    def answered(self) -> tuple[Request, ...]:
        """The requests that a turn answered. Only the answer to the last of them is judged."""
        return tuple(request for request in self.requests if request.turn is not None)

    @property
    def sent(self) -> tuple[SentEvent, ...]:
        """The events of the last answer."""
        return self.answered[-1].events if self.answered else ()

    @property
    def plain_answer(self) -> PlainAnswer | None:
        """The last answer if it is not a stream; None otherwise."""
        return self.answered[-1].answer if self.answered else None

    @property
    def attempt(self) -> int:
        """The number of the last attempt, counted from 1."""
        return self.answered[-1].attempt if self.answered else 1

    @property
    def end(self) -> End | None:
        """The first ending; None if the run has none."""
        return self.ends[0] if self.ends else None

    def to_json(self) -> dict[str, Any]:
        """The transcript as a JSON object; optional fields that are empty are omitted.

        Without ``asked`` the fields of a conversation are omitted.
        """
        value: dict[str, Any] = unstructure(self)
        if self.asked is None:
            return {name: value[name] for name in value if name not in ("turn", "asked", "before")}
        return value


omit_if_default(Request, "headers", "authorization", "close")
omit_if_default(TurnInput, "has_key")
omit_if_default(End, "finish", "usage", "error")
omit_if_default(Cancelled, "release")
omit_if_default(CheckpointResult, "late")
omit_if_default(Incident, "in_flight", "after", "stderr")
omit_if_default(Try, "why", "busy")
omit_if_default(Transcript, "incidents", "tries", "busy")

VERDICTS: Mapping[EndOutcome, Verdict] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "error": "crashed",
    "unsupported": "unsupported",
}
"""The verdict of a run that ended by itself, by the outcome that it reported."""


def end_of(message: Mapping[str, Any], at: float) -> End:
    """The ending in a drive/1 message: ``done``, ``counted``, ``error`` or ``unsupported``."""
    type_, error = message["type"], message.get("error")
    if type_ == "counted":
        return End(at, "completed")
    if type_ in ("unsupported", "error"):
        said = str(message.get("reason" if type_ == "unsupported" else "message", ""))
        return End(at, type_, error=ReportedError("unknown", said))
    reported = error and ReportedError(
        error.get("kind", "unknown"),
        error.get("message") or "",
        str(error.get("code") or ""),
        error.get("thrown") or "",
    )
    return End(
        at, message["outcome"], message.get("finish"), message.get("usage"), reported or None
    )


def from_json(value: Mapping[str, Any]) -> Transcript:
    """A transcript from the JSON object that ``to_json`` returns. Raises BaseValidationError."""
    return structure(value, Transcript)
