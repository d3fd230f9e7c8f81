"""Groups a stream of the AI SDK into steps, blocks and calls, as the input of all legality rules.

All three dialects are grouped alike. Parts of unknown types are ``extensions``, and parts after the
ending are ``late``; neither is grouped. A part without the id of its block or call is ``lost``,
because it cannot be assigned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.foundation.json_fields import mapping, text

Json = Mapping[str, Any]


BLOCKS: Mapping[str, tuple[str, str]] = {
    f"{kind}-{name}": (kind, step)
    for kind in ("text", "reasoning")
    for name, step in (("start", "starts"), ("delta", "grows"), ("end", "ends"))
}
"""By type of part: the kind of its block, and its step in the block's lifecycle."""

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
"""By type of part: its step in the lifecycle of its call."""

FOLLOWS_CALL = frozenset(
    {
        "tool-result", "tool-error", "tool-output-available", "tool-output-error",
        "tool-output-denied", "tool-approval-request",
    }
)  # fmt: skip
"""The types of parts that say what became of a call."""

_DELTA_FIELDS = {
    "tool-input-delta": names("input_delta", of=(parts.UI, parts.USUAL)),
    "tool-call-delta": names("input_delta", of=(parts.V4,)),
}
_INPUTS = names("input")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a known type; ``step`` is how many steps ended before it."""

    n: int
    type: str
    data: Json
    step: int

    @property
    def block(self) -> str:
        """The id of its block; empty if it has none, as in ai 4."""
        return text(self.data.get("id"))

    @property
    def call(self) -> str:
        """The id of its call; empty if it has none."""
        asked = mapping(self.data.get("toolCall"))
        own = NAMES[parts.USUAL]
        ids = (self.data.get(own.call_id), asked.get(own.call_id), self.data.get(own.input_id))
        return next(filter(None, map(text, ids)), "")

    @property
    def tool(self) -> str:
        return text(self.data.get("toolName"))

    @property
    def input(self) -> Any:
        """The complete input of a call, under any of its names."""
        return next((self.data[name] for name in _INPUTS if name in self.data), None)

    @property
    def delta(self) -> str | None:
        """The delta of a call's input; None if the part has none."""
        deltas = (self.data.get(name) for name in _DELTA_FIELDS.get(self.type, ()))
        return next((value for value in deltas if isinstance(value, str)), None)

    @property
    def reason(self) -> str:
        """The finish reason; empty if the part has none."""
        return parts.reason(self.data)


class Parts:
    """One streamed answer."""

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
                self.lost |= {one.n} if _lacks_content(part) else set()
                step += one.type in parts.STEP_ENDS

    @property
    def ending(self) -> Part | None:
        """The part that ended the answer; not an error, after which more may follow."""
        last = self.parts[-1] if self.parts else None
        return last if last and parts.is_last(last.type) else None

    @property
    def has_failed(self) -> bool:
        """Whether the answer has an error or was aborted."""
        return any(part.type in ("error", "abort") for part in self.parts)

    @property
    def has_steps(self) -> bool:
        return any(part.type in ("start-step", "step-start") for part in self.parts)

    @property
    def is_ai_4(self) -> bool:
        """Whether it is a full stream of ai 4: it has no ``start``, or only errors and a finish."""
        types = {part.type for part in self.parts}
        beginnings = types & {"start", "start-step", "step-start"}
        only_errors = "error" in types and types <= {"error", "finish"}
        return beginnings == {"step-start"} or only_errors

    def reason(self, step: int) -> str:
        """The finish reason of a step, or else that of the whole answer."""
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


def _lacks_content(part: Part) -> bool:
    if part.type in CALLS:
        return not part.call or (CALLS[part.type] == "grows" and part.delta is None)
    return part.type in BLOCKS and not part.block and NAMES[parts.V4].text_delta not in part.data
