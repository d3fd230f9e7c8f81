"""A scenario as frozen values: what an upstream does, and what is right to make of it.

A turn is written in one of three ways. ``Says`` is a neutral script that any dialect renders: lanes
that start, grow and end, side by side if need be. ``Sends`` lists a dialect's own events. What the
two share (pauses, comments, the way the stream closes) stands in ``Common``. ``Answer`` is a plain
HTTP response where a stream was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mockserver.faults import Place

Json = Any
FieldPath = tuple[str, ...]
"""The names that lead to a field of an event, from the outside in."""

Conduct = Literal["legal", "deviation", "violation"]
LaneKind = Literal["text", "call", "reasoning", "refusal"]
ReasoningForm = Literal["summary", "raw"]
CloseHow = Literal["clean", "cut", "reset", "stall"]
Outcome = Literal["completed", "incomplete", "failed"]


# Steps that both forms share


@dataclass(frozen=True, slots=True)
class Pause:
    """Everything after this is due that much later (seconds)."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """With a kit, the playback waits here until the text so far has come out of the adapter."""

    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """An SSE comment line, as keepalives are."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes on the wire to the letter, framing included."""

    text: str


@dataclass(frozen=True, slots=True)
class Close:
    """How the stream ends: whole, without its closing chunk, by a TCP reset, or not at all."""

    how: CloseHow


# Steps of a neutral script


@dataclass(frozen=True, slots=True)
class Start:
    """A lane opens; ``call_id`` and ``name`` are a call's, ``form`` and ``encrypted`` a thought's.

    ``encrypted`` is what only the upstream can read; it goes out once the lane is complete.
    """

    lane: str
    kind: LaneKind
    call_id: str = ""
    name: str = ""
    form: ReasoningForm = "summary"
    encrypted: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A lane grows."""

    lane: str
    value: str


@dataclass(frozen=True, slots=True)
class NextPart:
    """A lane of reasoning goes on in a part of its own: the next section of it."""

    lane: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that an answer names; which fields it has says of what kind it is.

    ``url`` is a page's, ``file_id`` a file's; ``container_id`` says that the file is one that the
    model made, and a file without a ``filename`` is a bare path to it. What is not known is empty.
    """

    url: str = ""
    title: str = ""
    file_id: str = ""
    filename: str = ""
    container_id: str = ""

    def fields(self) -> dict[str, str]:
        """What is known of it."""
        named = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in named if value}


@dataclass(frozen=True, slots=True)
class Cite:
    """A source for what an open text lane said: all of it so far, or the characters told here."""

    lane: str
    citation: Citation
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """A lane is complete."""

    lane: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The response waits before the model begins; stands before everything that it says."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts, told with the ending."""

    input: int
    output: int


@dataclass(frozen=True, slots=True)
class NoUsage:
    """No token counts are told, as some upstreams do."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The model ended well: ``stop`` or ``tool-calls``."""

    reason: str


@dataclass(frozen=True, slots=True)
class Incomplete:
    """The answer was cut short: ``length``, ``content-filter`` or ``other``.

    ``word`` is what the upstream calls the other reason.
    """

    reason: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The response failed; ``in_band`` says so with an error event of its own first."""

    code: str
    message: str
    in_band: bool = False


@dataclass(frozen=True, slots=True)
class Send:
    """One event of a dialect: ``fields`` as written; what the protocol derives may be left out.

    ``absent`` are the paths of derived fields that are not sent. ``known`` is False for an event
    that the dialect does not have, sent on purpose. An event that is ``on_request`` goes only to
    clients that asked for usage.
    """

    type: str
    fields: Mapping[str, Json] = field(default_factory=dict)
    known: bool = True
    on_request: bool = False
    absent: tuple[FieldPath, ...] = ()


Common = Pause | Checkpoint | Comment | Raw | Close
Ending = Finish | Incomplete | Failed
SayStep = Common | Queued | Start | Delta | NextPart | Cite | End | Usage | NoUsage | Ending
SendStep = Common | Send


@dataclass(frozen=True, slots=True)
class Says:
    """A neutral script, shorthands expanded, its ending (or close) explicit."""

    steps: tuple[SayStep, ...]


@dataclass(frozen=True, slots=True)
class Sends:
    """A dialect's own events; ``places`` tells where each step stands.

    Where the dialect has generations, they are written in the one that is named, or the usual one.
    """

    steps: tuple[SendStep, ...]
    places: tuple[Place, ...]
    generation: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A plain HTTP response, to the letter; it streams nothing, so it has no steps."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def steps(self) -> tuple[SayStep, ...]:
        return ()


# What is right


@dataclass(frozen=True, slots=True)
class ExpectText:
    """Answer text; ``begins`` says that it is the first of another message."""

    value: str
    begins: bool = False


@dataclass(frozen=True, slots=True)
class ExpectReasoning:
    value: str


@dataclass(frozen=True, slots=True)
class ExpectRefusal:
    value: str


@dataclass(frozen=True, slots=True)
class ExpectCall:
    """A call; where it stands among the parts is the earliest moment at which it may come.

    Without an ``id`` any id of its own is right, and without a ``name`` any name: that of an item
    which has none. ``raw`` is an input that is a text, which an adapter wraps as it likes.
    """

    id: str
    name: str
    input: Json
    raw: str = ""


@dataclass(frozen=True, slots=True)
class ExpectCite:
    """A citation; a link to it stands at its place among the texts."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class ExpectData:
    """Bytes in base64, and their media type; their place among other parts is free."""

    mime_type: str
    data: str


ExpectPart = ExpectText | ExpectReasoning | ExpectRefusal | ExpectCall | ExpectCite | ExpectData


@dataclass(frozen=True, slots=True)
class ExpectError:
    """What the upstream said of its failure; empty where it said nothing."""

    message: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class ExpectAt:
    """At a checkpoint: calls that must have come out by now, and calls that must not."""

    calls: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expect:
    """One right outcome of a turn; ``choices`` has the choice of each part, if any is not 0."""

    parts: tuple[ExpectPart, ...]
    outcome: Outcome = "completed"
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cancel:
    """When the host cancels the run: after so many parts, or ``at`` a checkpoint; one of the two.

    It is a kit that acts on this; a server alone plays the turn to its end.
    """

    after_parts: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """What the upstream says of a model that is looked up, in tokens."""

    context_window: int = 128_000
    max_tokens: int = 16_384


@dataclass(frozen=True, slots=True)
class Host:
    """What the host asks at first; what it leaves open is empty.

    ``tools`` have a ``name`` and may have a ``description`` and an ``input_schema``; ``options``
    go upstream beside the conversation. The ``model`` is the one that it has chosen.
    """

    system: str = ""
    user: str = ""
    tools: tuple[Mapping[str, Json], ...] = ()
    options: Mapping[str, Json] = field(default_factory=dict)
    model: Model = Model()


@dataclass(frozen=True, slots=True)
class Then:
    """What the host says next: results by the ids of their calls, in order, then a user's words."""

    tool_results: Mapping[str, str] = field(default_factory=dict)
    user: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its response; any one of ``expect`` is right (none: the script is).

    ``earlier`` are other answers, which the request gets before this one when it comes again and
    again. ``request`` is a JSON Schema that the request satisfies; ``then`` leads on to the
    following turn.
    """

    script: Says | Sends | Answer
    expect: tuple[Expect, ...] = ()
    cancel: Cancel | None = None
    earlier: tuple[Turn, ...] = ()
    request: Mapping[str, Json] | None = None
    then: Then | None = None

    @property
    def attempts(self) -> tuple[Turn, ...]:
        """Every answer to the request, in the order in which it gets them."""
        return (*self.earlier, self)

    def attempt(self, n: int) -> Turn:
        """The ``n``-th answer, counted from 1; the last one repeats."""
        return self.attempts[: max(n, 1)][-1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What an upstream does in a situation, where that is written down, and who has seen it.

    Of a dialect that has generations, its events are written in one of them. ``unable`` are the
    dialects that cannot carry a script for all dialects, each with the reason.
    """

    id: str
    title: str
    dialects: tuple[str, ...]
    turns: tuple[Turn, ...]
    source: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    conduct: Conduct = "legal"
    about: str = ""
    place: Place | None = None
    host: Host = field(default_factory=Host)
    generation: str = ""
    unable: Mapping[str, str] = field(default_factory=dict)

    @property
    def streams(self) -> bool:
        """Is there a stream among its answers?"""
        attempts = (attempt for turn in self.turns for attempt in turn.attempts)
        return not all(isinstance(attempt.script, Answer) for attempt in attempts)
