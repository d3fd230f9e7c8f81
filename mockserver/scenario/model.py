"""A scenario as frozen values: what an upstream sends, and which outcomes of an adapter are right.

The script of a turn has one of three forms. ``Says`` is a neutral script that every dialect can
render: blocks (texts, calls, reasoning, refusals) that start, stream and end, possibly interleaved.
``Sends`` lists events of one dialect. Steps that both have (pauses, comments, the close of the
stream) are ``Common``. ``Answer`` is a plain HTTP response instead of a stream.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mockserver.faults import Place

Json = Any
FieldPath = tuple[str, ...]
"""The names on the path to a field of an event, the outermost first."""

_CHARACTERS_A_TOKEN = 4
_INPUT_TOKENS = 16

Conduct = Literal["legal", "deviation", "violation"]
BlockKind = Literal["text", "call", "reasoning", "refusal"]
ReasoningForm = Literal["summary", "raw"]
CloseHow = Literal["clean", "cut", "reset", "stall"]
Outcome = Literal["completed", "incomplete", "failed"]


# Steps that both forms of a script have


@dataclass(frozen=True, slots=True)
class Pause:
    """Delays everything after it by this many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The kit makes playback wait here until the adapter has emitted the text so far."""

    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """An SSE comment line, such as a keepalive."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """Text that is sent exactly as written, including its framing."""

    text: str


@dataclass(frozen=True, slots=True)
class Close:
    """How the stream closes: cleanly, without the last HTTP chunk, by TCP reset, or not at all."""

    how: CloseHow


# Steps of a neutral script


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a block; ``block`` is its name in the script.

    ``call_id`` and ``name`` belong to calls, ``form`` and ``encrypted`` to reasoning. The encrypted
    content is sent when the block ends.
    """

    block: str
    kind: BlockKind
    call_id: str = ""
    name: str = ""
    form: ReasoningForm = "summary"
    encrypted: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of a block's text or arguments."""

    block: str
    value: str


@dataclass(frozen=True, slots=True)
class NextPart:
    """The start of the next part of a block of reasoning."""

    block: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that an answer cites, either a web page or a file.

    A page has a ``url`` and a ``title``, a file a ``file_id``. A file with a ``container_id`` was
    created by the model; one without a ``filename`` is cited as a path. Unused fields are empty.
    """

    url: str = ""
    title: str = ""
    file_id: str = ""
    filename: str = ""
    container_id: str = ""

    def fields(self) -> dict[str, str]:
        """The fields that are not empty, by name."""
        named = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name: value for name, value in named if value}


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation in an open block of text, for its text so far or for a range of characters."""

    block: str
    citation: Citation
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The end of a block, which is then complete."""

    block: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The response is queued before the model starts; only at the start of a script."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts, sent at the end of the response."""

    input: int
    output: int

    @classmethod
    def estimated(cls, characters: int) -> Usage:
        """The usage of a script that names none: four characters of an answer make a token."""
        return cls(_INPUT_TOKENS, math.ceil(characters / _CHARACTERS_A_TOKEN))


@dataclass(frozen=True, slots=True)
class NoUsage:
    """No usage is sent at the end of the response."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The response is complete; the reason is ``stop`` or ``tool-calls``."""

    reason: str


@dataclass(frozen=True, slots=True)
class Incomplete:
    """The response is incomplete; the reason is ``length``, ``content-filter`` or ``other``.

    ``word`` is the upstream's name for the reason ``other``.
    """

    reason: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The response failed; with ``in_band``, an error event is sent first."""

    code: str
    message: str
    in_band: bool = False


@dataclass(frozen=True, slots=True)
class Send:
    """An event of a dialect; ``fields`` that can be derived may be left out.

    ``absent`` has the paths of derived fields that are not sent. ``known`` is False for an event
    type that the dialect does not have, sent on purpose. An ``on_request`` event is sent only to
    clients that requested usage.
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
    """A neutral script with shorthands expanded and an explicit ending or close."""

    steps: tuple[SayStep, ...]


@dataclass(frozen=True, slots=True)
class Sends:
    """A script of one dialect's events; ``places`` has the position of each step in the file.

    ``generation`` is the generation in which they are written; empty for the default.
    """

    steps: tuple[SendStep, ...]
    places: tuple[Place, ...]
    generation: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A plain HTTP response, sent as written; it has no steps."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def steps(self) -> tuple[SayStep, ...]:
        return ()


# Expectations


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
    """Binary data in base64, with its media type; it may have any place among other parts."""

    mime_type: str
    data: str


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


@dataclass(frozen=True, slots=True)
class Cancel:
    """When the host cancels the run: after a number of parts, or ``at`` a checkpoint.

    Only the conformance kit cancels; a server alone plays the whole turn.
    """

    after_parts: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """The limits of a model that the upstream reports when models are listed, in tokens."""

    context_window: int = 128_000
    max_tokens: int = 16_384


@dataclass(frozen=True, slots=True)
class Host:
    """The first request of the host; fields that it does not set are empty.

    ``tools`` have a ``name`` and optionally a ``description`` and an ``input_schema``. ``options``
    are sent upstream with the conversation. ``model`` has the limits of the selected model.
    """

    system: str = ""
    user: str = ""
    tools: tuple[Mapping[str, Json], ...] = ()
    options: Mapping[str, Json] = field(default_factory=dict)
    model: Model = Model()


@dataclass(frozen=True, slots=True)
class Then:
    """What the host adds for the next turn: tool results by call id, then a user message."""

    tool_results: Mapping[str, str] = field(default_factory=dict)
    user: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its response.

    A result of the adapter is right if it is one of ``expect``, or without these, if it is what the
    script says. ``earlier`` has the answers to earlier attempts of the same request. ``request`` is
    a JSON Schema for the request. ``then`` is what the host adds for the next turn.
    """

    script: Says | Sends | Answer
    expect: tuple[Expect, ...] = ()
    cancel: Cancel | None = None
    earlier: tuple[Turn, ...] = ()
    request: Mapping[str, Json] | None = None
    then: Then | None = None

    @property
    def attempts(self) -> tuple[Turn, ...]:
        """The answers to successive attempts of the request."""
        return (*self.earlier, self)

    def attempt(self, n: int) -> Turn:
        """The answer to attempt ``n`` (from 1); the last answer is repeated."""
        return self.attempts[: max(n, 1)][-1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation with an upstream, turn by turn.

    ``source`` lists the documents that describe it, and ``seen`` where it was observed. ``place``
    is its file. ``generation`` is that of its events. If the scenario is for all dialects,
    ``unable`` has those that cannot express it, each with the reason.
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
        """Whether any of its answers is a stream."""
        attempts = (attempt for turn in self.turns for attempt in turn.attempts)
        return not all(isinstance(attempt.script, Answer) for attempt in attempts)
