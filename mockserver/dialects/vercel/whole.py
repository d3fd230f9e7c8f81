"""A provider's parts as one answer, for a request that asked the gateway for no stream.

Source: @ai-sdk/provider (LanguageModelV3GenerateResult); @ai-sdk/gateway § doGenerate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.dialect import Whole
from mockserver.dialects.json_fields import text
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import GATEWAY
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockserver.wire.event import Step

_FAILED = 500


def whole(steps: Iterable[Step]) -> Whole | None:
    """The answer, or the error that came; None where the response never ends."""
    answer = _Answer()
    for step in steps:
        if isinstance(step, Event) and not step.ignorable:
            if step.type == "error":
                return Whole(_FAILED, {"error": step.data.get("error")})
            answer.add(step.type, step.data)
            if answer.ending:
                return Whole(200, answer.body())
    return None


@dataclass
class _Answer:
    content: list[dict[str, Any]] = field(default_factory=list)
    blocks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    warnings: Any = field(default_factory=list)
    response: dict[str, Any] = field(default_factory=dict)
    ending: dict[str, Any] = field(default_factory=dict)

    def add(self, type_: str, part: Mapping[str, Any]) -> None:
        if add := _TAKES.get(type_):
            add(self, part)
        elif type_ in _WHOLE:
            self.content.append(dict(part))

    def started(self, part: Mapping[str, Any]) -> None:
        self.warnings = part.get("warnings", [])

    def described(self, part: Mapping[str, Any]) -> None:
        self.response = {name: part[name] for name in part if name != "type"}

    def grown(self, part: Mapping[str, Any]) -> None:
        block = self._block(part)
        block["text"] += text(part.get(NAMES[GATEWAY].delta(block["type"])))

    def sealed(self, part: Mapping[str, Any]) -> None:
        if metadata := part.get("providerMetadata"):
            self._block(part)["providerMetadata"] = metadata

    def _block(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """The content that a block grows into; its place is that of its first words."""
        kind = text(part.get("type")).split("-", 1)[0]
        key = kind, text(part.get("id"))
        if key not in self.blocks:
            self.blocks[key] = {"type": kind, "text": ""}
            self.content.append(self.blocks[key])
        return self.blocks[key]

    def ended(self, part: Mapping[str, Any]) -> None:
        self.ending = {name: part[name] for name in part if name != "type"}

    def body(self) -> dict[str, Any]:
        warned = {"warnings": self.warnings}
        return {"content": self.content, **self.ending, **warned, "response": self.response}


_WHOLE = frozenset({"tool-call", "tool-result", "source", "file", "reasoning-file", "custom"})

_TAKES: dict[str, Callable[[_Answer, Mapping[str, Any]], None]] = {
    "stream-start": _Answer.started,
    "response-metadata": _Answer.described,
    "text-delta": _Answer.grown,
    "text-end": _Answer.sealed,
    "reasoning-delta": _Answer.grown,
    "reasoning-end": _Answer.sealed,
    "finish": _Answer.ended,
}
