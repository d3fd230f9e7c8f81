"""The parts that a VS Code language model provider reports (lm-stream-semantics, Parts I to IV)."""

from collections.abc import Sequence
from typing import Any

from conformance.contract.citations import MEDIA_TYPE, citation_of_data_part, encode
from conformance.contract.reading import Reading
from conformance.contract.traits import THINKING_PREFIX
from conformance.contract.transcript import End
from conformance.vocabularies.vocabulary import BadPart, ReadingBuilder, Vocabulary
from mockserver.scenario.script import Citation


class _VSCode(Vocabulary):
    def problem_of(self, part: Any) -> BadPart | None:
        if isinstance(part, dict) and part.get("type") == "toolResult":
            return BadPart("tool result", self.pieces["toolResult"])
        return super().problem_of(part)

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        builder = ReadingBuilder()
        for n, part in enumerate(parts):
            match part:
                case {"type": "text", "value": str(value)} if self._is_reasoning(value):
                    builder.thinking.append(value.removeprefix(THINKING_PREFIX))
                case {"type": "text", "value": str(value)}:
                    builder.text.add(value, n)
                case {"type": "thinking", "value": str(value)}:
                    builder.thinking.append(value)
                case {"type": "thinking", "value": list(values)}:
                    builder.thinking.extend(str(value) for value in values)
                case {"type": "toolCall", "callId": str(id_), "name": str(name), "input": input_}:
                    builder.add_call(id_, name, input_, n)
                case {"type": "data", "mimeType": str(mime), "data": str(value)}:
                    if citation := citation_of_data_part(part):
                        builder.add_citation(citation, n)
                    else:
                        builder.add_data(mime, value, n)
        return builder.build(end)

    def _is_reasoning(self, text: str) -> bool:
        return self.traits.reasoning == "prefixed" and text.startswith(THINKING_PREFIX)

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text", "value": value}

    def thinking(self, value: str) -> dict[str, Any]:
        if self.traits.reasoning == "prefixed":
            return self.text(THINKING_PREFIX + value)
        return {"type": "thinking", "value": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        return {"type": "toolCall", "callId": call_id, "name": name, "input": input_}

    def citation(self, citation: Citation) -> dict[str, Any]:
        return self.data(MEDIA_TYPE, encode(citation))

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return {"type": "data", "mimeType": mime_type, "data": data}


VSCODE = _VSCode(
    "vscode",
    {
        "text": frozenset({"text"}),
        "thinking": frozenset({"thinking"}),
        "toolCall": frozenset({"calls"}),
        "data": frozenset({"data", "citations"}),
        "toolResult": frozenset(),
    },
    unsupported_traits={"errors": frozenset({"part"})},
)
