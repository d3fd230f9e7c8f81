"""Converts a full stream of the AI SDK, `streamText().fullStream` of any generation, to parts.

The SDK's stream is already structured: blocks with a start and an end, complete calls, steps, one
finish. Four rules remain:

1. Each generation has its own names, and a field may have several of them (`fields`). Unknown parts
   are ignored, and so are most known ones: parts that only frame an answer add no character to it
   (stream-mapping § The Whitespace Bug).
2. Errors are parts. An HTTP error is a stream of `start` and `error`. In a full stream, an error
   ends the answer, and later parts are ignored. In the other layers, parts after an error are
   emitted, but the answer has failed.
3. A stream without `finish` is broken. The finish of a step ends that step only; the next step is
   part of the same answer, and may use the same ids for other blocks and calls (`steps`).
4. A call is emitted once, complete, and only if the host must make it (`steps`). A lost call is a
   failure, unless the model had another step to repeat it.

`FullStream` is the machine. The parts of a provider and UI messages have the same structure, so it
reads these layers too, given the names of their fields (`Layer`).
"""

from collections.abc import Callable, Mapping

from conformance.dialects.client.content import CITATION_PARTS, reasoning_parts, text_parts
from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.client.machine import Machine
from conformance.dialects.vercel.reference.attachments import file_part, own_data, source_of
from conformance.dialects.vercel.reference.fields import (
    DATA,
    INVALID_CALL_ERRORS,
    TOOL_ERROR,
    Layer,
    Names,
    Usage,
    aborted,
    add_usage,
    error_name,
    failure_of,
    first,
    first_value,
    reason,
    usage_of,
)
from conformance.dialects.vercel.reference.steps import (
    FAILED_REASONS,
    Calls,
    Ids,
    ReasoningBlock,
    Step,
)

FINISHES = {name: name for name in ("", "stop", "length", "content-filter", "tool-calls")}
"""The finish of drive/1 for each finish reason; any other reason is `other`."""

INVALID = "the SDK found a call invalid"


class FullStream(Machine):
    """Converts the parts of one response to parts of the `vscode` vocabulary."""

    def __init__(self, traits: Event, layer: Layer) -> None:
        super().__init__(traits)
        self.layer = layer
        self.usage: Usage = {}
        self._call_ids = Ids(str(self.traits.get("call_id_prefix") or ""))
        self._reasoning_ids = Ids()
        self._step = self._next_step()
        self._ended = False

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def settled(self) -> bool:
        return bool(self.failure)

    def event(self, data: Event) -> list[Part]:
        kind = string(data, "type")
        kind = DATA if kind.startswith(DATA) else kind
        handler = HANDLERS.get(kind)
        return handler(self, data) if handler and not self._ended else []

    def last_parts(self) -> list[Part]:
        self._ended = True
        return text_parts(self.error_text())

    # Steps.

    def _next_step(self) -> Step:
        return Step(Calls(self._call_ids), self._reasoning_ids)

    def here(self) -> Step:
        """The current step; a new one if the last has finished, since its start may be missing."""
        if self._step.finished:
            self._step = self._next_step()
        return self._step

    def begin_step(self, _: Event) -> list[Part]:
        parts = self._finish_step("")
        self._step = self._next_step()
        return parts

    def finish_step(self, data: Event) -> list[Part]:
        self.usage = add_usage(self.usage, usage_of(data, self.layer))
        why = reason(data)
        # In a UI message stream, only `finish` has a reason.
        return [] if self.layer.strict and not why else self._finish_step(why)

    def _finish_step(self, why: str) -> list[Part]:
        if self._step.finished:
            return []
        self._step.finished, self._step.reason = True, why
        return self._step.calls.finish_step(why)

    # Text. Blocks matter only for surrogates that are split between two deltas.

    def reset_text_block(self, data: Event) -> list[Part]:
        self.here().texts.pop(string(data, "id"), None)
        return []

    def text(self, data: Event) -> list[Part]:
        return text_parts(self.here().texts[string(data, "id")].add(self._delta(data)))

    def _delta(self, data: Event) -> str:
        self._has_required(self.layer.text, data)
        return first(data, self.layer.text)

    # Reasoning, with the provider's metadata, which the host sends back in later requests.

    def begin_reasoning(self, data: Event) -> list[Part]:
        self._keep_metadata(self.here().reasoning(string(data, "id")), data)
        return []

    def extend_reasoning(self, data: Event) -> list[Part]:
        block = self.here().reasoning(string(data, "id"))
        text = block.emitted.add(self._delta(data))
        # Metadata of the start is emitted with the first text; that of a delta at once.
        return self._emit_reasoning(block, text) if self._keep_metadata(block, data) or text else []

    def end_reasoning(self, data: Event) -> list[Part]:
        block = self.here().reasoning(string(data, "id"))
        self._keep_metadata(block, data)
        del self.here().reasoning_blocks[string(data, "id")]
        return self._emit_reasoning(block, "")

    def add_signature(self, data: Event) -> list[Part]:
        """The signature of the reasoning before it, which has no id, in ai 4."""
        return self.end_reasoning(_v4_metadata("signature", data.get("signature")))

    def add_redacted(self, data: Event) -> list[Part]:
        """Encrypted reasoning, in ai 4."""
        return self.end_reasoning(_v4_metadata("redactedData", data.get("data")))

    def _keep_metadata(self, block: ReasoningBlock, data: Event) -> bool:
        metadata = object_(data, "providerMetadata")
        block.metadata = metadata or block.metadata
        return bool(metadata)

    def _emit_reasoning(self, block: ReasoningBlock, text: str) -> list[Part]:
        metadata = block.take_metadata()
        kept = {"providerMetadata": metadata} if metadata else None
        return reasoning_parts(self.traits["reasoning"], text, block.id, kept)

    # Calls.

    def _id(self, data: Event) -> str:
        return first(data, self.layer.call_id)

    def begin_call(self, data: Event) -> list[Part]:
        name, provider_executed = string(data, "toolName"), _is_provider_executed(data)
        self.here().calls.begin(self._id(data), name, provider_executed=provider_executed)
        return []

    def grow_call(self, data: Event) -> list[Part]:
        piece = first(data, self.layer.arguments)
        self.here().calls.grow(self._id(data), string(data, "type"), piece)
        return []

    def end_call(self, data: Event) -> list[Part]:
        self.here().calls.end(self._id(data))
        return []

    def call(self, data: Event) -> list[Part]:
        if data.get("invalid") is True:
            return self.invalid_call(data)
        name, input_ = string(data, "toolName"), first_value(data, self.layer.input)
        if not self._has_required(self.layer.input, data):
            return []
        return self.here().calls.complete(
            self._id(data), name, input_, provider_executed=_is_provider_executed(data)
        )

    def invalid_call(self, data: Event) -> list[Part]:
        why = f"{INVALID}: {failure_of(data, self.layer)['message']}"
        self.here().calls.invalid(
            self._id(data), why, provider_executed=_is_provider_executed(data)
        )
        return []

    # Files and sources.

    def file(self, data: Event) -> list[Part]:
        return file_part(data, self.layer)

    def source(self, data: Event) -> list[Part]:
        return CITATION_PARTS[self.traits["annotations"]](source_of(data, self.layer))

    # Endings.

    def _has_required(self, names: Names, data: Event) -> bool:
        """Whether a part has its required field; in a strict layer, the answer fails without it."""
        broken = self.layer.strict and first_value(data, names) is None
        if broken:
            why = f"a part {string(data, 'type')} has no {names[0]}"
            self.failure = self.failure or {"kind": "decode", "message": why}
        return not broken

    def error(self, data: Event) -> list[Part]:
        name = error_name(data)
        if name in INVALID_CALL_ERRORS:
            self.here().calls.reject(f"{INVALID}: {failure_of(data, self.layer)['message']}")
        elif name != TOOL_ERROR:
            self._record_error(data)
        return []

    def _record_error(self, data: Event) -> None:
        self.failure = self.failure or failure_of(data, self.layer)
        self._ended = not self.layer.continues_after_error

    def abort(self, data: Event) -> list[Part]:
        self.failure = aborted(data)
        self._ended = True
        return []

    def finished(self, data: Event) -> list[Part]:
        why = reason(data) or self._step.reason
        parts = self._finish_step(why)
        calls = self._step.calls
        if why in FAILED_REASONS:
            self.failure = self.failure or failure_of({}, self.layer)
        elif calls.lost:
            self.failure = self.failure or {"kind": "decode", "message": calls.lost}
        self.finish = FINISHES.get(why, "other")
        if self.finish in ("stop", "tool-calls"):
            # Only calls that the host must make count.
            self.finish = "tool-calls" if calls.made else "stop"
        self.usage = usage_of(data, self.layer) or self.usage
        self._ended = True
        return parts


def _is_provider_executed(data: Event) -> bool:
    return data.get("providerExecuted") is True


def _v4_metadata(name: str, value: object) -> Event:
    """Provider metadata for a signature of ai 4, as later generations send it.

    In ai 4, only Anthropic sent signatures.
    """
    return {"providerMetadata": {"anthropic": {name: value}}}


Handler = Callable[[FullStream, Event], list[Part]]

HANDLERS: Mapping[str, Handler] = {
    "start-step": lambda machine, data: machine.begin_step(data),
    "step-start": lambda machine, data: machine.begin_step(data),
    "finish-step": lambda machine, data: machine.finish_step(data),
    "step-finish": lambda machine, data: machine.finish_step(data),
    "text-start": lambda machine, data: machine.reset_text_block(data),
    "text-end": lambda machine, data: machine.reset_text_block(data),
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
    "tool-input-end": lambda machine, data: machine.end_call(data),
    "tool-call": lambda machine, data: machine.call(data),
    "tool-input-available": lambda machine, data: machine.call(data),
    "tool-input-error": lambda machine, data: machine.invalid_call(data),
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
