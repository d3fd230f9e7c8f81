"""The script of a turn as frozen values: what the upstream sends.

A script has one of three forms. ``Says`` is a neutral script that every dialect can render: blocks
(texts, calls, reasoning, refusals) that start, stream and end, possibly interleaved. ``Sends``
lists events of one dialect. Steps that both have (pauses, comments, the close of the stream) are
``Common``. ``Answer`` is a plain HTTP response instead of a stream.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mockserver.foundation.faults import Place
from mockserver.foundation.json_fields import FieldPath
from mockserver.scenario.hosted import Tool

Json = Any

_CHARACTERS_A_TOKEN = 4
_INPUT_TOKENS = 16

BlockKind = Literal["text", "call", "reasoning", "refusal"]
ReasoningForm = Literal["summary", "raw"]
Phase = Literal["", "commentary", "final_answer"]
CloseHow = Literal["clean", "cut", "reset", "half-close", "stall"]


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
    """How the stream closes.

    It ends properly (``clean``), without the last HTTP chunk (``cut``), by a TCP reset, with a FIN
    after which the server still reads (``half-close``), or not at all (``stall``).
    """

    how: CloseHow


# Steps of a neutral script


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a block; ``block`` is its name in the script.

    ``call_id`` and ``name`` belong to calls, ``form``, ``encrypted`` and ``announced`` to
    reasoning, ``phase`` to texts. The encrypted content is sent when the block ends; ``announced``
    is what an upstream sends in its place when the block starts.
    """

    block: str
    kind: BlockKind
    call_id: str = ""
    name: str = ""
    form: ReasoningForm = "summary"
    encrypted: str = ""
    announced: str = ""
    phase: Phase = ""


@dataclass(frozen=True, slots=True)
class Hosted:
    """The items of a tool of OpenAI's, from beginning to end.

    ``deltas`` are the pieces of the text that it streams; None if its text is not streamed.
    """

    tool: Tool
    deltas: tuple[str, ...] | None = None


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
        """The usage for a script that states none: a token for each four characters of answer."""
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
    clients that requested usage. ``shared`` are fields that all events of the file have, around the
    object that the step is named after.
    """

    type: str
    fields: Mapping[str, Json] = field(default_factory=dict)
    known: bool = True
    on_request: bool = False
    absent: tuple[FieldPath, ...] = ()
    shared: Mapping[str, Json] = field(default_factory=dict)


Common = Pause | Checkpoint | Comment | Raw | Close
Ending = Finish | Incomplete | Failed
SayStep = (
    Common | Queued | Start | Delta | NextPart | Cite | End | Hosted | Usage | NoUsage | Ending
)
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
