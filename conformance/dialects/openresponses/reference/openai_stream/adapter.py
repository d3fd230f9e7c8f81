"""The reference adapter from OpenAI's Responses to the stream parts of a provider (AI SDK, V3, V4).

Two halves. `Responses` finds the item of each event and passes each content once, whichever events
carry it, so a call or a text that comes only in the finished item or in the final response is not
lost. What passes, and the events that only OpenAI has, are rows of `emitter.TABLES`, each of which
creates its parts in one place. So what the upstream left out is read as if it had been sent.

`ResponsesToStream` is the machine. The stream begins with `stream-start` and ends with `finish`,
which an `error` precedes if the response failed, or if an event could not be read.
"""

from collections.abc import Callable, Mapping
from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.machine import done
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.openresponses.reference.items import Call, Item
from conformance.dialects.openresponses.reference.machine import OPEN, Responses
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    PART_ADDED,
    PART_DONE,
    Tables,
)
from conformance.dialects.openresponses.reference.openai_stream.emitter import (
    EVENTS,
    TABLES,
    StreamEmitter,
)
from conformance.dialects.openresponses.reference.openai_stream.request import request

UPSTREAM = Upstream("reference-responses-stream", "openresponses", "/responses", request)


class ResponsesToStream(Responses):
    """Converts one response to parts of the `stream` vocabulary, by a table for each kind of item.

    `begin` reads the option `store` and the approvals of the prompt.
    """

    def __init__(self, traits: Event | None = None, tables: Tables = TABLES) -> None:
        self._stream = StreamEmitter(tables)
        super().__init__(lambda _: self._stream, traits)
        self._started = False
        self._has_metadata = False
        self._calls_host = False

    def begin(self, run: Event) -> None:
        response = self._stream.response
        response.store = object_(run, "options").get("store") is True
        for message in objects(run, "messages"):
            for part in objects(message, "content"):
                if part.get("type") == "tool-approval-request":
                    approval = string(part, "approvalId")
                    response.call_of_approval[approval] = string(part, "toolCallId")

    def event(self, data: Event) -> list[Part]:
        start: list[Part] = [] if self._started else [{"type": "stream-start", "warnings": []}]
        self._started = True
        parts = super().event(data)
        self._calls_host = self._calls_host or any(map(_is_call_of_host, parts))
        return start + parts

    def _handle(self, data: Event) -> None:
        own = OWN_HANDLERS.get(string(data, "type")) if self.phase == OPEN else None
        if own is not None:
            own(self, data)
        else:
            super()._handle(data)

    def _created(self, data: Event) -> None:
        if not self._has_metadata:
            self._has_metadata = True
            self._stream.parts.append(response_metadata(object_(data, "response")))

    # Items.

    def _item_is_added(self, data: Event) -> None:
        self._item_added(data)
        self._stream.added(self._items.find(data), object_(data, "item"))

    def _finished(self, item: Item, source: Event, complete: bool) -> None:
        self._stream.added(item, source)
        super()._finished(item, source, complete)
        self._stream.finished(item, source)

    def _item_event(self, data: Event) -> None:
        item = self._items.find(data)
        self._stream.event(item, string(data, "type"), data)

    # Function calls.

    def _call(self, item: Item, source: Event) -> Call:
        call = super()._call(item, source)
        self._stream.call_known(item, call)
        return call

    def _arguments(self, data: Event) -> None:
        call = self._call_of(data)
        call.deltas.append(string(data, "delta"))
        self._stream.arguments(call, call.deltas[-1])

    # Endings.

    def end(self) -> dict[str, object]:
        """The end without the reason and the usage, which the last part has."""
        return done("", {}, self.failure, as_text=False)

    def _end(self, response: Event | None = None, finish_: str = "") -> None:
        calls_host = self._calls_host or any(map(_is_call_of_host, self._stream.parts))
        if finish_ in ("stop", "tool-calls"):
            finish_ = "tool-calls" if calls_host else "stop"
        super()._end(response, finish_)
        if self._started:
            self._stream.parts += self._last_parts(response or {})

    def _last_parts(self, response: Event) -> list[Part]:
        reason = finish_reason(self.failure, self.finish)
        known = {"finishReason": {"unified": reason}, "usage": usage_of(response)}
        last: Part = {"type": "finish", **known}
        return [error(self.failure), last] if reason == "error" else [last]


def _is_call_of_host(part: Event) -> bool:
    return part.get("type") == "tool-call" and part.get("providerExecuted") is not True


Handler = Callable[[ResponsesToStream, Event], None]

OWN_HANDLERS: Mapping[str, Handler] = {
    "response.created": ResponsesToStream._created,
    "response.output_item.added": ResponsesToStream._item_is_added,
    "response.function_call_arguments.delta": ResponsesToStream._arguments,
    PART_ADDED: ResponsesToStream._item_event,
    PART_DONE: ResponsesToStream._item_event,
    **dict.fromkeys(EVENTS, ResponsesToStream._item_event),
}
"""The events that are handled otherwise than by `Responses`, or only here."""


def adapter(traits: Traits | None = None, tables: Tables = TABLES) -> transport.Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return transport.Adapter(UPSTREAM, partial(ResponsesToStream, tables=tables), traits)


# The parts about the response as such.


def response_metadata(response: Event) -> Part:
    id_ = string(response, "id")
    return {"type": "response-metadata", **({"id": id_} if id_ else {})}


def error(failure: Event) -> Part:
    reason = {name: failure[name] for name in ("message", "code") if name in failure}
    return {"type": "error", "error": reason}


def finish_reason(failure: Event, finish: str) -> str:
    """The reason; a response that failed has `error`, and one without an ending `interrupted`."""
    if failure:
        return "interrupted" if failure.get("kind") == "truncated" else "error"
    return finish


def usage_of(response: Event) -> dict[str, object]:
    """The tokens by kind; kinds that the upstream does not count are left out."""
    usage = object_(response, "usage")
    read, written = integer(usage, "input_tokens"), integer(usage, "output_tokens")
    cached = integer(object_(usage, "input_tokens_details"), "cached_tokens")
    thought = integer(object_(usage, "output_tokens_details"), "reasoning_tokens")
    return {
        "inputTokens": _counted(total=read, cacheRead=cached),
        "outputTokens": _counted(total=written, reasoning=thought),
    }


def _counted(**tokens: int | None) -> dict[str, int]:
    return {name: count for name, count in tokens.items() if count is not None}
