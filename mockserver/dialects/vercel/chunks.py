"""The UI message stream: what ``toUIMessageStream()`` sends to a browser.

Source: ai (UIMessageChunk); AI SDK UI § Stream Protocols; stream-mapping § AI SDK
toUIMessageStream() Chunks.
"""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.dialects.vercel.spelling import Call, End, invalid, source
from mockserver.scenario.model import Citation, Send


class Chunks:
    """The layer that a browser reads."""

    delta = "delta"

    def begins(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def call_begins(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-start", {"toolCallId": call.id, "toolName": call.name})

    def call_grows(self, id_: str, value: str) -> Iterator[Send]:
        yield Send("tool-input-delta", {"toolCallId": id_, "inputTextDelta": value})

    def call_ends(self, call: Call) -> Iterator[Send]:
        known = {"toolCallId": call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-input-available", {**known, "input": call.input})
            return
        told = invalid(call)["message"]
        wrong = {**known, "input": call.arguments, "dynamic": True, "errorText": told}
        yield Send("tool-input-error", wrong)

    def cites(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "source-url" if citation.url else "source-document"
        yield Send(kind, source(citation, id_, "sourceId"))

    def fails(self, message: str, code: str) -> Iterator[Send]:  # noqa: ARG002
        yield Send("error", {"errorText": message})

    def ends(self, end: End) -> Iterator[Send]:
        yield Send("finish-step")
        yield Send("finish", {"finishReason": end.reason})
