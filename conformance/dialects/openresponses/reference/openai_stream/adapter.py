"""The reference adapter from OpenAI's Responses to the stream parts of a provider (AI SDK, V3, V4).

Two halves. `Responses` finds the item of each event and passes each content once, whichever events
carry it, so a call or a text that comes only in the finished item or in the final response is not
lost. What passes, and the events that only OpenAI has, are rows of `emitter.TABLES`, each of which
creates its parts in one place. So what the upstream left out is read as if it had been sent.

`ResponsesToStream` is the machine. The stream begins with `stream-start` and ends with `finish`,
which an `error` precedes if the response failed, or if an event could not be read.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.openresponses.reference.items import Call, Item
from conformance.dialects.openresponses.reference.machine import ENDED, OPEN, Responses
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    PART_ADDED,
    PART_DONE,
    Tables,
    metadata,
)
from conformance.dialects.openresponses.reference.openai_stream.emitter import (
    EVENTS,
    TABLES,
    StreamEmitter,
)
from conformance.dialects.openresponses.reference.openai_stream.request import request

UPSTREAM = Upstream("reference-responses-stream", "openresponses", "/responses", request)

TOOL_TYPES = {"computer_use_preview": "computer", "web_search_preview": "web_search"}
"""Types of tools whose calls are items of another type's."""


class ResponsesToStream(Responses):
    """Converts one response to parts of the `stream` vocabulary, by a table for each kind of item.

    `begin` reads the option `store`, the names of hosted tools and the approvals of the prompt.
    """

    def __init__(self, traits: Event | None = None, tables: Tables = TABLES) -> None:
        self._stream = StreamEmitter(tables, lambda why: self.fail("decode", why))
        super().__init__(lambda _: self._stream, traits)
        self._started = False
        self._has_metadata = False
        self._calls_host = False
        self._response_id = ""

    def begin(self, run: Event) -> None:
        response = self._stream.response
        response.store = object_(run, "options").get("store") is True
        response.tool_names = {
            TOOL_TYPES.get(type_, type_): string(tool, "name")
            for tool in objects(run, "tools")
            if (type_ := string(tool, "type")) not in ("", "function", "custom")
        }
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
        response = object_(data, "response")
        self._response_id = self._response_id or string(response, "id")
        if not self._has_metadata:
            self._has_metadata = True
            self._stream.parts.append(response_metadata(response))

    # Items.

    def _item_is_added(self, data: Event) -> None:
        self._item_added(data)
        source = object_(data, "item")
        self._stream.added(self._items.find(data, string(source, "id")), source)

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

    def _end(self, response: Event | None = None, finish_: str = "") -> None:
        if self.phase == ENDED:
            return
        calls_host = self._calls_host or any(map(_is_call_of_host, self._stream.parts))
        if finish_ in ("stop", "tool-calls"):
            refused = self._stream.response.refused
            finish_ = whole_finish(calls_host=calls_host, refused=refused)
        super()._end(response, finish_)
        if self._started:
            self._stream.parts += self._last_parts(response or {})

    def _last_parts(self, response: Event) -> list[Part]:
        reason = finish_reason(self.failure, self.finish, response)
        last = finish(reason, {"id": self._response_id, **response})
        return [error(self.failure), last] if reason["unified"] == "error" else [last]


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
    created = integer(response, "created_at")
    known = {
        "id": string(response, "id") or None,
        "timestamp": created and datetime.fromtimestamp(created, UTC).isoformat(),
        "modelId": string(response, "model") or None,
    }
    known = {name: value for name, value in known.items() if value is not None}
    return {"type": "response-metadata", **known}


def error(failure: Event) -> Part:
    reason = {name: failure[name] for name in ("message", "code") if name in failure}
    return {"type": "error", "error": reason}


def finish_reason(failure: Event, finish: str, response: Event) -> dict[str, str]:
    """The reason, and the words of the upstream for it.

    A response that failed has the reason `error`, and one without an ending `interrupted`.
    """
    if failure:
        interrupted = failure.get("kind") == "truncated"
        return {"unified": "interrupted"} if interrupted else {"unified": "error", "raw": "error"}
    raw = string(object_(response, "incomplete_details"), "reason")
    return {"unified": finish} | ({"raw": raw} if raw else {})


def whole_finish(*, calls_host: bool, refused: bool) -> str:
    """The reason of a completed response."""
    if calls_host:
        return "tool-calls"
    return "content-filter" if refused else "stop"


def finish(reason: Event, response: Event) -> Part:
    about = metadata(
        responseId=string(response, "id") or None,
        serviceTier=string(response, "service_tier") or None,
    )
    usage = _usage(object_(response, "usage"))
    return {"type": "finish", "finishReason": reason, "usage": usage, **about}


def _usage(usage: Event) -> dict[str, object]:
    """The tokens by kind; kinds that the upstream does not count are left out."""
    read, written = integer(usage, "input_tokens"), integer(usage, "output_tokens")
    cached = integer(object_(usage, "input_tokens_details"), "cached_tokens")
    thought = integer(object_(usage, "output_tokens_details"), "reasoning_tokens")
    return {
        "inputTokens": _counted(total=read, cacheRead=cached, noCache=_less(read, cached)),
        "outputTokens": _counted(total=written, reasoning=thought, text=_less(written, thought)),
    }


def _counted(**tokens: int | None) -> dict[str, int]:
    return {name: count for name, count in tokens.items() if count is not None}


def _less(total: int | None, part: int | None) -> int | None:
    return None if total is None else total - (part or 0)
