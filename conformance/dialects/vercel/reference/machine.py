"""Converts a full stream of the AI SDK, `streamText().fullStream` of any generation, to parts.

The SDK's stream is already structured: blocks with a start and an end, complete calls, steps, one
finish. Four rules remain:

1. Each generation has its own names, and a field may have several of them (`fields`). Unknown parts
   are ignored, and so are most known ones: parts that only frame an answer add no character to it
   (stream-mapping § The Whitespace Bug).
2. Errors are parts: an HTTP error is a stream of `start` and `error`. An error ends the answer, and
   later parts are ignored.
3. A stream without `finish` is broken. The finish of a step ends that step only; the next step is
   part of the same answer, and may use the same ids for other calls.
4. A call is emitted once, complete, and only if the host must make it (`calls`). A lost call is a
   failure, unless the model had another step to repeat it.

`FullStream` is the machine. The parts of a provider and UI messages have the same structure, so it
reads these layers, too.
"""

from collections.abc import Callable, Mapping

from conformance.dialects.client.content import (
    CITATION_PARTS,
    EmittedText,
    reasoning_parts,
    text_parts,
)
from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.client.machine import NO_REASON, Machine
from conformance.dialects.vercel.reference.attachments import file_part, own_data, source_of
from conformance.dialects.vercel.reference.calls import CUT_REASONS, FAILED_REASONS, Calls
from conformance.dialects.vercel.reference.fields import (
    ARGUMENTS,
    CALL_ID,
    DATA,
    ERROR,
    INPUT,
    TEXT,
    Usage,
    add_usage,
    failure_of,
    first,
    first_value,
    reason,
    usage_of,
)


class FullStream(Machine):
    """Converts the parts of one response to parts of the `vscode` vocabulary."""

    def __init__(self, traits: Event) -> None:
        super().__init__(traits)
        self.usage: Usage = {}
        self._calls = self._calls_of_step()
        self._emitted = EmittedText()
        self._metadata: dict[str, Event] = {}

    @property
    def ended(self) -> bool:
        return bool(self.finish)

    def event(self, data: Event) -> list[Part]:
        kind = string(data, "type")
        handler = HANDLERS.get(DATA if kind.startswith(DATA) else kind)
        return handler(self, data) if handler and not self.ended else []

    def last_parts(self) -> list[Part]:
        return text_parts(self.error_text())

    # Steps.

    def _calls_of_step(self) -> Calls:
        return Calls(str(self.traits.get("call_id_prefix") or ""))

    def begin_step(self, _: Event) -> list[Part]:
        self._calls = self._calls_of_step()
        return []

    def finish_step(self, data: Event) -> list[Part]:
        self.usage = add_usage(self.usage, usage_of(data))
        return []

    # Text and reasoning, with the provider's metadata, which the host sends back in later requests.

    def text(self, data: Event) -> list[Part]:
        return text_parts(self._delta(data))

    def _delta(self, data: Event) -> str:
        return self._emitted.add(first(data, TEXT))

    def begin_reasoning(self, data: Event) -> list[Part]:
        self._keep_metadata(data)
        return []

    def extend_reasoning(self, data: Event) -> list[Part]:
        self._keep_metadata(data)
        return self._emit_reasoning(data, self._delta(data))

    def end_reasoning(self, data: Event) -> list[Part]:
        self._keep_metadata(data)
        return self._emit_reasoning(data, metadata=self._metadata.pop(string(data, "id"), {}))

    def add_signature(self, data: Event) -> list[Part]:
        """The signature of the reasoning before it, in ai 4; only Anthropic sent signatures."""
        return self._emit_reasoning(data, metadata={"anthropic": {"signature": data["signature"]}})

    def add_redacted(self, data: Event) -> list[Part]:
        """Encrypted reasoning, in ai 4."""
        return self._emit_reasoning(data, metadata={"anthropic": {"redactedData": data["data"]}})

    def _keep_metadata(self, data: Event) -> None:
        if metadata := object_(data, "providerMetadata"):
            self._metadata[string(data, "id")] = metadata

    def _emit_reasoning(
        self, data: Event, text: str = "", metadata: Event | None = None
    ) -> list[Part]:
        kept = {"providerMetadata": metadata} if metadata else None
        return reasoning_parts(self.traits["reasoning"], text, string(data, "id"), kept)

    # Calls.

    def _id(self, data: Event) -> str:
        return first(data, CALL_ID)

    def begin_call(self, data: Event) -> list[Part]:
        if not _is_provider_executed(data):
            self._calls.begin(self._id(data), string(data, "toolName"))
        return []

    def grow_call(self, data: Event) -> list[Part]:
        self._calls.grow(self._id(data), first(data, ARGUMENTS))
        return []

    def call(self, data: Event) -> list[Part]:
        self._calls.drop(self._id(data))
        if _is_provider_executed(data):
            return []
        if data.get("invalid") is True or "errorText" in data:
            return self.invalid_call(data)
        name, input_ = string(data, "toolName"), first_value(data, INPUT)
        return self._calls.make(self._id(data), name, input_)

    def invalid_call(self, data: Event) -> list[Part]:
        """Note that the SDK found a call invalid: it is lost."""
        self._calls.lost = str(self._reason_of(data).get("message", NO_REASON))
        return []

    # Files and sources.

    def file(self, data: Event) -> list[Part]:
        return file_part(data)

    def source(self, data: Event) -> list[Part]:
        return CITATION_PARTS[self.traits["annotations"]](source_of(data))

    # Endings.

    def _reason_of(self, data: Event) -> Event:
        return failure_of({"error": first_value(data, ERROR)})

    def error(self, data: Event) -> list[Part]:
        return self._failed(self._reason_of(data))

    def abort(self, data: Event) -> list[Part]:
        """A failure, since this adapter did not cancel the run."""
        return self._failed(failure_of({"error": data.get("reason")}))

    def _failed(self, why: Event) -> list[Part]:
        self.fail("upstream", str(why.get("message", NO_REASON)), why.get("code"))
        self.finish = "error"
        return []

    def finished(self, data: Event) -> list[Part]:
        why = reason(data)
        parts = self._calls.finish(why)
        if why in FAILED_REASONS:
            self.fail("upstream", NO_REASON)
        if self._calls.lost:
            self.fail("decode", self._calls.lost)
        self.finish = why if why in CUT_REASONS else "other"
        if why in ("stop", "tool-calls"):
            # Only calls that the host must make count.
            self.finish = "tool-calls" if self._calls.made else "stop"
        self.usage = usage_of(data) or self.usage
        return parts


def _is_provider_executed(data: Event) -> bool:
    return data.get("providerExecuted") is True


Handler = Callable[[FullStream, Event], list[Part]]

HANDLERS: Mapping[str, Handler] = {
    "start-step": lambda machine, data: machine.begin_step(data),
    "step-start": lambda machine, data: machine.begin_step(data),
    "finish-step": lambda machine, data: machine.finish_step(data),
    "step-finish": lambda machine, data: machine.finish_step(data),
    "text-delta": lambda machine, data: machine.text(data),
    "text": lambda machine, data: machine.text(data),
    "reasoning-start": lambda machine, data: machine.begin_reasoning(data),
    "reasoning-delta": lambda machine, data: machine.extend_reasoning(data),
    "reasoning": lambda machine, data: machine.extend_reasoning(data),
    "reasoning-end": lambda machine, data: machine.end_reasoning(data),
    "reasoning-signature": lambda machine, data: machine.add_signature(data),
    "redacted-reasoning": lambda machine, data: machine.add_redacted(data),
    "tool-input-start": lambda machine, data: machine.begin_call(data),
    "tool-call-streaming-start": lambda machine, data: machine.begin_call(data),
    "tool-input-delta": lambda machine, data: machine.grow_call(data),
    "tool-call-delta": lambda machine, data: machine.grow_call(data),
    "tool-call": lambda machine, data: machine.call(data),
    "tool-input-available": lambda machine, data: machine.call(data),
    "tool-input-error": lambda machine, data: machine.call(data),
    "source": lambda machine, data: machine.source(data),
    "source-url": lambda machine, data: machine.source(data),
    "source-document": lambda machine, data: machine.source(data),
    "file": lambda machine, data: machine.file(data),
    DATA: lambda _, data: own_data(data),
    "error": lambda machine, data: machine.error(data),
    "abort": lambda machine, data: machine.abort(data),
    "finish": lambda machine, data: machine.finished(data),
}
"""The handlers by type of part, of all generations; other parts are ignored."""
