"""The chunks of the UI message stream, which ``toUIMessageStream()`` sends to a browser.

Source: ai (UIMessageChunk); AI SDK UI § Stream Protocols; stream-mapping § AI SDK
toUIMessageStream() Chunks.
"""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.invalid_calls import error_of, input_of
from mockserver.dialects.vercel.layer import Call, Ending, Parts, source
from mockserver.dialects.vercel.parts import UI
from mockserver.scenario.script import Citation, Send


class Chunks(Parts):
    """Makes UI message chunks, which a browser reads."""

    names = NAMES[UI]

    def start(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-input-available", {**known, names.input: call.input})
            return
        error = {names.error: error_of(call)["message"]}
        yield Send("tool-input-error", {**known, names.input: input_of(call), **error})
        yield Send("tool-output-error", {names.call_id: call.id, **error})

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "source-url" if citation.url else "source-document"
        yield Send(kind, source(citation, id_, self.names.source_id))

    def fail(self, message: str, code: str) -> Iterator[Send]:  # noqa: ARG002
        yield Send("error", {self.names.error: message})

    def finish(self, ending: Ending) -> Iterator[Send]:
        yield Send("finish-step")
        yield Send("finish", {"finishReason": ending.reason})
