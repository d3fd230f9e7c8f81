"""Reads the events of an OpenResponses stream: a model of such an adapter.

An upstream sends the same content several times: in deltas, in a `.done` event, in the finished
item and in the final response. Each of these may be missing. An adapter that reads only one of them
loses answers, and one that emits all of them repeats answers. So this one reads all of them and
remembers what it has emitted. Four more rules:

1. Events are assigned to items by `output_index`. `item_id` may change in every event of an item,
   and no arguments event carries a `call_id` (openresponses § Streaming Events), so ids are used
   only if the index is missing.
2. Text is emitted at once. If a full text is longer than its deltas, the rest is emitted with the
   first event that has it.
3. A call is emitted once, at the first of three points at which it is complete: arguments done,
   item done, response completed (rfc-00022 § Function Call Flow). The upstream must say that it is
   complete; that the buffered arguments parse proves nothing. A call that was cut off is never
   emitted.
4. A stream without a terminal event is broken. The response is `open` until a terminal event has
   `ended` it. It is `failing` after a first failure, because a failure is often sent twice, as
   `error` and as `response.failed`, with the reason in either; it ends with the stream.
   `HANDLERS_BY_PHASE` lists the events that are handled in each phase.

`Responses` is the machine, for any vocabulary: an `Emitter` creates the parts. What is known of the
items is in `items`. Event types without a handler are ignored, as the specification asks.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from conformance.dialects.client.content import blank
from conformance.dialects.client.fields import (
    Event,
    Part,
    counts,
    integer,
    object_,
    objects,
    reason_of,
    string,
)
from conformance.dialects.client.machine import NO_REASON, Machine
from conformance.dialects.openresponses.reference.items import (
    CONTENTS,
    PARTS,
    REASONING_CHANNELS,
    SUMMARY,
    TEXT,
    Call,
    Cited,
    Content,
    Item,
    Items,
    sources,
)
from mockserver.foundation.call_arguments import read_arguments

OPEN, FAILING, ENDED = "open", "failing", "ended"

FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}

COUNTS = {"input": "input_tokens", "output": "output_tokens"}


class Emitter(Protocol):
    """Creates the parts of a vocabulary, and collects them until `take` returns them.

    It is given each piece of content once. `refusal` is the text of refusals that are errors.
    """

    refusal: str

    def take(self) -> list[Part]: ...

    def text(self, item: Item, channel: str, index: int, text: str) -> None: ...

    def encrypted(self, item: Item, encrypted: str) -> None: ...

    def citations(self, item: Item, cited: list[Cited]) -> None: ...

    def image(self, item: Item, source: Event) -> None: ...

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part: ...

    def call(self, call: Call, part: Part) -> None: ...

    def end(self, error_text: str) -> None: ...


class Responses(Machine):
    """The state machine of rfc-00022: reads one response, for any vocabulary.

    `phase` is open, failing or ended.
    """

    def __init__(self, emitter: Callable[[Event], Emitter], traits: Event | None = None) -> None:
        """The emitter is created with the traits."""
        super().__init__(traits)
        self._emitter = emitter(self.traits)
        self.phase = OPEN
        self._items = Items()
        self._calls: list[Call] = []
        self._emitted: dict[str, Part] = {}

    @property
    def ended(self) -> bool:
        return self.phase == ENDED

    @property
    def settled(self) -> bool:
        return self.phase == FAILING

    def event(self, data: Event) -> list[Part]:
        self._handle(data)
        return self._emitter.take()

    def _handle(self, data: Event) -> None:
        handler = HANDLERS_BY_PHASE[self.phase].get(string(data, "type"))
        if handler is not None:
            handler(self, data)

    def last_parts(self) -> list[Part]:
        if self.phase != ENDED:
            self._end()
        return self._emitter.take()

    # Texts: rfc-00022 § Text Content Flow, § Reasoning Flow; refusals are handled alike.

    def _delta(self, data: Event, content: Content) -> None:
        item = self._items.find(data)
        index = integer(data, content.position) or 0
        text = item.texts[content.channel, index]
        if not text.closed and self._is_chosen_stem(item, content):
            self._emitter.text(item, content.channel, index, text.grow(string(data, "delta")))

    def _is_chosen_stem(self, item: Item, content: Content) -> bool:
        """Whether to emit these deltas: of an item's reasoning, only the type that came first."""
        if content.channel not in REASONING_CHANNELS:
            return True
        item.reasoning_stem = item.reasoning_stem or content.stem
        return item.reasoning_stem == content.stem

    def _done(self, data: Event, content: Content) -> None:
        item = self._items.find(data)
        index = integer(data, content.position) or 0
        self._complete_text(item, content.channel, index, string(data, content.full))

    def _part_added(self, data: Event) -> None:
        part, item = object_(data, "part"), self._items.find(data)
        channel, name = PARTS.get(string(part, "type"), (TEXT, ""))
        index = integer(data, "content_index") or 0
        head = item.texts[channel, index].begin(string(part, name))
        self._emitter.text(item, channel, index, head)

    def _part_done(self, data: Event) -> None:
        item = self._items.find(data)
        index = integer(data, "content_index") or 0
        self._content(item, index, object_(data, "part"))

    def _content(self, item: Item, index: int, part: Event) -> None:
        channel, name = PARTS.get(string(part, "type"), (TEXT, ""))
        self._complete_text(item, channel, index, string(part, name))
        listed = sources(*objects(part, "annotations"))
        self._cite(item, index, listed[item.cited[index] :])

    def _complete_text(self, item: Item, channel: str, index: int, text: str) -> None:
        if text and not self._is_repeated_reasoning(item, channel, text):
            self._emitter.text(item, channel, index, item.texts[channel, index].complete(text))

    def _is_repeated_reasoning(self, item: Item, channel: str, text: str) -> bool:
        """Whether reasoning repeats a summary of its item, or a summary its reasoning."""
        return any(
            other.text() == text
            for (name, _), other in item.texts.items()
            if {name, channel} == REASONING_CHANNELS
        )

    # Citations: rfc-00022 § Gap 2, stream-mapping § Priority 2; generated images.

    def _annotation(self, data: Event) -> None:
        item = self._items.find(data)
        index = integer(data, "content_index") or 0
        self._cite(item, index, sources(data.get("annotation")))

    def _cite(self, item: Item, index: int, cited: list[Cited]) -> None:
        item.cited[index] += len(cited)
        self._emitter.citations(item, cited)

    # Items.

    def _item_added(self, data: Event) -> None:
        source = object_(data, "item")
        self._items.announce(data, source)
        item = self._items.find(data, string(source, "id"))
        if string(source, "type") == "function_call":
            self._call(item, source)

    def _item_done(self, data: Event) -> None:
        source = object_(data, "item")
        item = self._items.find(data, string(source, "id"))
        self._finished(item, source, string(source, "status") not in ("incomplete", "failed"))
        item.done = True

    def _finished(self, item: Item, source: Event, complete: bool) -> None:
        kind = string(source, "type")
        item.type = kind
        if kind in ("message", "reasoning"):
            for index, part in enumerate(objects(source, "summary")):
                self._complete_text(item, SUMMARY, index, string(part, "text"))
            for index, part in enumerate(objects(source, "content")):
                self._content(item, index, part)
            self._emitter.encrypted(item, string(source, "encrypted_content"))
        elif kind == "function_call":
            self._call_finished(item, source, complete)
        elif kind == "image_generation_call":
            self._emitter.image(item, source)

    # Calls: rfc-00022 § Function Call Flow.

    def _call(self, item: Item, source: Event) -> Call:
        """The call of an item; another call_id at the same item begins another call."""
        call_id, call = string(source, "call_id"), item.call
        if call is None or (call_id and call.call_id and call_id != call.call_id):
            call = item.call = Call()
            self._calls.append(call)
        call.call_id = call.call_id or call_id
        call.name = call.name or string(source, "name")
        return call

    def _call_of(self, data: Event) -> Call:
        """The call of an arguments event."""
        return self._call(self._items.find(data), data)

    def _arguments_delta(self, data: Event) -> None:
        call = self._call_of(data)
        call.deltas.append(string(data, "delta"))

    def _arguments_done(self, data: Event) -> None:
        call = self._call_of(data)
        call.from_done = data.get("arguments")
        # If the arguments are blank, the finished item may have them.
        if not blank(call.arguments()) and self.traits.get("emit_call_at") != "item":
            self._emit_if_complete(call)

    def _call_finished(self, item: Item, source: Event, complete: bool) -> None:
        call = self._call(item, source)
        call.from_item = source.get("arguments")
        if complete:
            self._emit_if_complete(call)

    def _emit_if_complete(self, call: Call) -> None:
        """Emit a call once it has an id, a name and arguments that parse; later events retry."""
        input_ = read_arguments(call.arguments()).input
        if call.emitted or not call.call_id or not call.name or input_ is None:
            return
        part = self._emitter.call_part(call, input_)
        call.emitted = True
        if before := self._emitted.get(call.call_id):
            if before != part:  # else the item repeats a call that was emitted
                self.fail("decode", f"two calls have the id {call.call_id!r}")
            return
        self._emitted[call.call_id] = part
        self._emitter.call(call, part)

    # Endings.

    def _completed(self, data: Event) -> None:
        response = object_(data, "response")
        status = string(response, "status")
        if status in ("failed", "cancelled"):
            self._failed(data)
        elif status == "incomplete":
            self._incomplete(data)
        else:
            self._final_items(response)
            self._check_calls()
            self._end(response, "tool-calls" if self._emitted else "stop")

    def _incomplete(self, data: Event) -> None:
        response = object_(data, "response")
        reason = string(object_(response, "incomplete_details"), "reason")
        self._end(response, FINISH.get(reason, "other"))

    def _final_items(self, response: Event) -> None:
        for position, source in enumerate(objects(response, "output")):
            item = self._items.find_final(position, source)
            if not _repeats(item.call, source):
                self._finished(item, source, complete=True)

    def _check_calls(self) -> None:
        """Fail if a call cannot be emitted."""
        for call in self._calls:
            if call.call_id not in self._emitted:
                what = f"name {call.name!r}, call_id {call.call_id!r}"
                self.fail("decode", f"a call is no call ({what}) or its arguments no object")

    def _error(self, data: Event) -> None:
        self.failure = {"kind": "upstream", **self.failure, **reason_of(data)}
        self.phase = FAILING

    def _failed(self, data: Event) -> None:
        self._error(object_(data, "response"))

    def _end(self, response: Event | None = None, finish: str = "") -> None:
        if self._emitter.refusal:
            self.fail("upstream", self._emitter.refusal)
        self.phase = ENDED
        self.finish = finish
        self.usage = counts(object_(response or {}, "usage"), COUNTS)
        if self.failure:
            self.failure.setdefault("message", NO_REASON)
        self._emitter.end(self.error_text())


def _repeats(call: Call | None, source: Event) -> bool:
    """Whether an item of the final output is a call that was emitted, under whatever id."""
    return bool(call and call.emitted and source.get("arguments") == call.arguments())


Handler = Callable[[Responses, Event], None]

HANDLERS: dict[str, Handler] = {
    "response.output_item.added": Responses._item_added,
    "response.output_item.done": Responses._item_done,
    "response.content_part.added": Responses._part_added,
    "response.content_part.done": Responses._part_done,
    **{f"{c.stem}.delta": partial(Responses._delta, content=c) for c in CONTENTS},
    **{f"{c.stem}.done": partial(Responses._done, content=c) for c in CONTENTS},
    "response.output_text.annotation.added": Responses._annotation,
    "response.function_call_arguments.delta": Responses._arguments_delta,
    "response.function_call_arguments.done": Responses._arguments_done,
    "response.completed": Responses._completed,
    "response.incomplete": Responses._incomplete,
    "response.failed": Responses._failed,
    "error": Responses._error,
}

HANDLERS_BY_PHASE: dict[str, dict[str, Handler]] = {
    OPEN: HANDLERS,
    FAILING: {name: HANDLERS[name] for name in ("error", "response.failed")},
    ENDED: {},
}
