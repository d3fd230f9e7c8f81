"""What a stream of the AI SDK says, put together once for all rules: its steps and their parts.

All three dialects are read alike. What does not count here: parts of a type that the dialect does
not have, and whatever follows the ending. A part that does not say which block or call it is about
is ``lost``: it is missing from something, and nobody knows from what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names

if TYPE_CHECKING:
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent

Json = Mapping[str, Any]


BLOCKS: Mapping[str, tuple[str, str]] = {
    f"{kind}-{name}": (kind, step)
    for kind in ("text", "reasoning")
    for name, step in (("start", "starts"), ("delta", "grows"), ("end", "ends"))
}
"""What a part does in the life of its block, by the kind of the block."""

CALLS: Mapping[str, str] = {
    "tool-input-start": "starts",
    "tool-call-streaming-start": "starts",
    "tool-input-delta": "grows",
    "tool-call-delta": "grows",
    "tool-input-end": "ends",
    "tool-call": "called",
    "tool-input-available": "called",
    "tool-input-error": "called",
}
"""What a part does in the life of its call."""

_GROWS_BY = {
    "tool-input-delta": names("input_delta", of=(parts.UI, parts.USUAL)),
    "tool-call-delta": names("input_delta", of=(parts.V4,)),
}
_INPUTS = names("input")


@dataclass(frozen=True, slots=True)
class Part:
    """A part that the dialect has; ``step`` is the number of steps that ended before it."""

    n: int
    type: str
    data: Json
    step: int

    @property
    def block(self) -> str:
        """The id of its block; empty where it tells none, as in ai 4."""
        return text(self.data.get("id"))

    @property
    def call(self) -> str:
        """The id of the call that it is about."""
        asked = mapping(self.data.get("toolCall"))
        own = NAMES[parts.USUAL]
        told = (self.data.get(own.call_id), asked.get(own.call_id), self.data.get(own.input_id))
        return next(filter(None, map(text, told)), "")

    @property
    def tool(self) -> str:
        return text(self.data.get("toolName"))

    @property
    def input(self) -> Any:
        """The whole input of a call, under whichever name."""
        return next((self.data[name] for name in _INPUTS if name in self.data), None)

    @property
    def piece(self) -> str | None:
        """What the input of a call grows by."""
        told = (self.data.get(name) for name in _GROWS_BY.get(self.type, ()))
        return next((value for value in told if isinstance(value, str)), None)

    @property
    def reason(self) -> str:
        """Why the model stopped, where it says so."""
        return parts.reason(self.data)


class Parts:
    """One answer as it was streamed; ``late`` is what follows its ending."""

    def __init__(self, dialect: str, sent: Sequence[SentEvent], framing: Framing | None) -> None:
        self.dialect = dialect
        self.sent = tuple(sent)
        self.framing = framing
        self.parts: list[Part] = []
        self.late: list[Part] = []
        self.extensions: list[SentEvent] = []
        self.lost: set[int] = set()
        step = 0
        for one in (one for one in self.sent if one.kind == "event"):
            if not isinstance(one.data, dict) or not text(one.data.get("type")):
                self.lost.add(one.n)
            elif not parts.is_known(dialect, one.type):
                self.extensions.append(one)
            else:
                part = Part(one.n, one.type, one.data, step)
                (self.late if self.ending else self.parts).append(part)
                self.lost |= {one.n} if _says_too_little(part) else set()
                step += one.type in parts.STEP_ENDS

    @property
    def ending(self) -> Part | None:
        """The part that ended the answer; an error is none, since more may follow."""
        last = self.parts[-1] if self.parts else None
        return last if last and parts.is_last(last.type) else None

    @property
    def has_failed(self) -> bool:
        """Does anything tell of a failure or an end from without?"""
        return any(part.type in ("error", "abort") for part in self.parts)

    @property
    def has_steps(self) -> bool:
        return any(part.type in ("start-step", "step-start") for part in self.parts)

    @property
    def of_ai_4(self) -> bool:
        """Is it a full stream of ai 4, which has no part for its beginning?

        There an error may be all that is sent.
        """
        types = {part.type for part in self.parts}
        told = types & {"start", "start-step", "step-start"}
        return told == {"step-start"} or types == {"error"}

    def reason(self, step: int) -> str:
        """Why the model stopped in a step; where steps do not say it, at all."""
        own = (
            part.reason for part in self.parts if part.step == step and part.type in parts.STEP_ENDS
        )
        return next(filter(None, own), self.ending.reason if self.ending else "")

    def blocks(self) -> dict[tuple[int, str, str], list[Part]]:
        """The parts of each block, by its step, its kind and its id."""
        found: dict[tuple[int, str, str], list[Part]] = {}
        for part in self.parts:
            if part.type in BLOCKS and part.block:
                key = (part.step, BLOCKS[part.type][0], part.block)
                found.setdefault(key, []).append(part)
        return found

    def calls(self) -> dict[tuple[int, str], list[Part]]:
        """The parts of each call, by its step and its id."""
        found: dict[tuple[int, str], list[Part]] = {}
        for part in self.parts:
            if part.type in CALLS and part.call:
                found.setdefault((part.step, part.call), []).append(part)
        return found


def _says_too_little(part: Part) -> bool:
    if part.type in CALLS:
        return not part.call or (CALLS[part.type] == "grows" and part.piece is None)
    return part.type in BLOCKS and not part.block and NAMES[parts.V4].text_delta not in part.data


def numbers(several: Sequence[Part]) -> frozenset[str]:
    """What a finding about these parts needs to be sound."""
    return frozenset({f"event:{part.n}" for part in several})
