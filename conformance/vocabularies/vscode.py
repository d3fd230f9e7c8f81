"""The parts that a VS Code language model provider reports (lm-stream-semantics, Parts I to IV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.citations import MEDIA_TYPE, citation_of, encoded
from conformance.contract.reading import ReadCall, ReadCitation, ReadData, Reading, Text
from conformance.contract.transcript import End
from conformance.vocabularies.vocabulary import ANYTHING, BadPart, canonical, departure
from mockserver.scenario.model import Citation
from mockserver.shipped import schema

if TYPE_CHECKING:
    from conformance.contract.traits import Traits

# What a part of this type would have added, had it been a part.
_SPOILS = {
    "text": frozenset({"text"}),
    "thinking": frozenset({"thinking"}),
    "toolCall": frozenset({"calls"}),
    "data": frozenset({"data", "citations"}),
    "toolResult": frozenset[str](),
}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("parts/vscode"))


@dataclass(frozen=True, slots=True)
class _VSCode:
    name: str = "vscode"
    impossible: Mapping[str, frozenset[str]] = field(
        default_factory=lambda: {"errors": frozenset({"part"})}
    )

    def bad(self, part: Any) -> BadPart | None:
        if not isinstance(part, dict):
            return BadPart(f"a part is an object, not {type(part).__name__}", ANYTHING)
        if part.get("type") == "toolResult":
            why = "a provider reports no tool results; those stand only in messages"
            return BadPart(why, _SPOILS["toolResult"])
        why = departure(_validator(), part)
        return BadPart(why, _SPOILS.get(str(part.get("type")), ANYTHING)) if why else None

    def under(self, traits: Traits) -> _VSCode:  # noqa: ARG002
        return self

    def ended(
        self,
        parts: Sequence[Any],  # noqa: ARG002
        end: End | None,
        *,
        cancelled: bool = False,  # noqa: ARG002
    ) -> End | None:
        return end

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        text = Text()
        thinking: list[str] = []
        calls: list[ReadCall] = []
        data: list[ReadData] = []
        citations: list[ReadCitation] = []
        for n, part in enumerate(parts):
            match part:
                case {"type": "text", "value": str(value)}:
                    text.add(value, n)
                case {"type": "thinking", "value": str(value)}:
                    thinking.append(value)
                case {"type": "thinking", "value": list(values)}:
                    thinking.extend(str(value) for value in values)
                case {"type": "toolCall", "callId": str(id_), "name": str(name), "input": input_}:
                    calls.append(ReadCall(id_, name, input_, text.length, n))
                case {"type": "data", "mimeType": str(mime), "data": str(value)}:
                    if citation := citation_of(part):
                        citations.append(ReadCitation(citation, n))
                    else:
                        data.append(ReadData(mime, canonical(value), n))
        return Reading(
            text=str(text),
            thinking="".join(thinking),
            calls=tuple(calls),
            data=tuple(data),
            citations=tuple(citations),
            outcome=end.outcome if end else None,
            finish=end.finish if end else None,
            usage=end.usage if end else None,
            error=asdict(end.error) if end and end.error else None,
            spans=text.spans,
        )

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text", "value": value}

    def thinking(self, value: str) -> dict[str, Any]:
        return {"type": "thinking", "value": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        return {"type": "toolCall", "callId": call_id, "name": name, "input": input_}

    def citation(self, citation: Citation) -> dict[str, Any]:
        return self.data(MEDIA_TYPE, encoded(citation))

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return {"type": "data", "mimeType": mime_type, "data": data}


VSCODE = _VSCode()
