"""The UI message stream: what ``toUIMessageStream()`` sends to a browser.

Source: ai (UIMessageChunk); AI SDK UI § Stream Protocols; stream-mapping § AI SDK
toUIMessageStream() Chunks.
"""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import UI
from mockserver.dialects.vercel.spelling import Call, End, Parts, invalid, source
from mockserver.scenario.model import Citation, Send


class Chunks(Parts):
    """The layer that a browser reads."""

    names = NAMES[UI]

    def begins(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def call_ends(self, call: Call) -> Iterator[Send]:
        names = self.names
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-input-available", {**known, names.input: call.input})
            return
        wrong = {
            names.input: call.arguments,
            "dynamic": True,
            names.error: invalid(call)["message"],
        }
        yield Send("tool-input-error", {**known, **wrong})

    def cites(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "source-url" if citation.url else "source-document"
        yield Send(kind, source(citation, id_, self.names.source_id))

    def fails(self, message: str, code: str) -> Iterator[Send]:  # noqa: ARG002
        yield Send("error", {self.names.error: message})

    def ends(self, end: End) -> Iterator[Send]:
        yield Send("finish-step")
        yield Send("finish", {"finishReason": end.reason})
