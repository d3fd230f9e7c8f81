"""Joins provider parts into one answer, for requests to the gateway without streaming.

Source: @ai-sdk/provider (LanguageModelV3GenerateResult); @ai-sdk/gateway § doGenerate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.dialect import NonStreamingAnswer
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import GATEWAY
from mockserver.foundation.json_fields import text
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockserver.wire.event import Step

_FAILED = 500


def non_streaming_answer(steps: Iterable[Step]) -> NonStreamingAnswer | None:
    """The answer, or the error if one was sent; None if there is no finish part."""
    answer = _Answer()
    for step in steps:
        if isinstance(step, Event) and not step.ignorable:
            if step.type == "error":
                return NonStreamingAnswer(_FAILED, {"error": step.data.get("error")})
            answer.add(step.type, step.data)
            if answer.ending:
                return NonStreamingAnswer(200, answer.body())
    return None


@dataclass
class _Answer:
    """An answer that is being joined from parts."""

    content: list[dict[str, Any]] = field(default_factory=list)
    blocks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    warnings: Any = field(default_factory=list)
    response: dict[str, Any] = field(default_factory=dict)
    ending: dict[str, Any] = field(default_factory=dict)

    def add(self, type_: str, part: Mapping[str, Any]) -> None:
        if add := _ADDERS.get(type_):
            add(self, part)
        elif type_ in _COPIED_TYPES:
            self.content.append(dict(part))

    def add_warnings(self, part: Mapping[str, Any]) -> None:
        self.warnings = part.get("warnings", [])

    def add_response(self, part: Mapping[str, Any]) -> None:
        self.response = {name: part[name] for name in part if name != "type"}

    def add_delta(self, part: Mapping[str, Any]) -> None:
        block = self._block(part)
        block["text"] += text(part.get(NAMES[GATEWAY].delta(block["type"])))

    def add_metadata(self, part: Mapping[str, Any]) -> None:
        if metadata := part.get("providerMetadata"):
            self._block(part)["providerMetadata"] = metadata

    def _block(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """The content of a block of text or reasoning, added at its first delta."""
        kind = text(part.get("type")).split("-", 1)[0]
        key = kind, text(part.get("id"))
        if key not in self.blocks:
            self.blocks[key] = {"type": kind, "text": ""}
            self.content.append(self.blocks[key])
        return self.blocks[key]

    def finish(self, part: Mapping[str, Any]) -> None:
        self.ending = {name: part[name] for name in part if name != "type"}

    def body(self) -> dict[str, Any]:
        warnings = {"warnings": self.warnings}
        return {"content": self.content, **self.ending, **warnings, "response": self.response}


_COPIED_TYPES = frozenset(
    {"tool-call", "tool-result", "source", "file", "reasoning-file", "custom"}
)

_ADDERS: dict[str, Callable[[_Answer, Mapping[str, Any]], None]] = {
    "stream-start": _Answer.add_warnings,
    "response-metadata": _Answer.add_response,
    "text-delta": _Answer.add_delta,
    "text-end": _Answer.add_metadata,
    "reasoning-delta": _Answer.add_delta,
    "reasoning-end": _Answer.add_metadata,
    "finish": _Answer.finish,
}
