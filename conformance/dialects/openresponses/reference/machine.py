"""OpenResponses in, VS Code parts out: the model of how such an adapter is written.

An upstream says everything several times: in deltas, in a `.done`, in the finished item, in the
final response. And each of these places is missing somewhere. An adapter that listens to one place
loses answers; one that listens to all of them and repeats what it hears doubles them. So this one
listens everywhere and remembers what it has said. Four rules carry the rest:

1. Events belong together by `output_index`. `item_id` may be another one in every event of the same
   item, and no arguments event carries a `call_id` (openresponses § Streaming Events), so ids only
   help out where the index is missing.
2. Text leaves at once. What a whole text has beyond the deltas leaves with the first carrier of it.
3. A call leaves once, whole, at the first of three points at which it is complete: arguments done,
   item done, response completed (rfc-00022 § Function Call Flow). Being complete is said by the
   upstream; that a buffer happens to parse proves nothing. What was cut off never leaves.
4. A stream that was not told to be over is broken. The response is `open` until a terminal event
   has `ended` it; in between it may be `failing`, since one failure is often told twice, as `error`
   and as `response.failed`, with the reason in either. Each phase lists the events it hears.

`ResponsesToVscode` is the machine: events in, parts out, no I/O. What it remembers stands in
`memory`; `transport` carries bytes to it.
Names that stand in no table here are ignored in silence, as the specification asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from conformance.dialects.client.fields import (
    Event,
    Part,
    integer,
    object_,
    objects,
    reason_of,
    string,
)
from conformance.dialects.openresponses.reference.attachments import (
    Source,
    citation,
    image,
    link,
    sources,
)
from conformance.dialects.openresponses.reference.memory import Call, Item, blank
from mockserver.call_arguments import read_arguments

TRAITS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thinking", "text", "hidden"),
    "refusal": ("text", "error", "hidden"),
    "annotations": ("link", "data", "hidden"),
    "errors": ("reject", "part", "text"),  # the vocabulary has no error part: `part` rejects
    "emit_call_at": ("complete", "end"),
}
"""The choices of this adapter, the default first; `call_id_prefix` is free text, empty at first."""

TEXT, REFUSAL, REASONING, SUMMARY = "text", "refusal", "reasoning", "summary"
THOUGHT = frozenset({REASONING, SUMMARY})
OPEN, FAILING, ENDED = "open", "failing", "ended"

ERROR_GRACE = 1.0
"""Seconds that an `error` waits for its `response.failed`, should the upstream fall silent."""

CITED: Mapping[str, Callable[[Source], list[Part]]] = {
    "link": link,
    "data": citation,
    "hidden": lambda _: [],
}
FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


class _Content(NamedTuple):
    """A kind of text: the stem of its events, its channel, its index, the field of its whole."""

    stem: str
    channel: str
    position: str = "content_index"
    whole: str = "text"


CONTENTS = (
    _Content("response.output_text", TEXT),
    _Content("response.refusal", REFUSAL, whole="refusal"),
    _Content("response.reasoning", REASONING),  # openresponses
    _Content("response.reasoning_text", REASONING),  # openai
    _Content("response.reasoning_summary_text", SUMMARY, "summary_index"),  # both
    _Content("response.reasoning_summary", SUMMARY, "summary_index"),  # rfc-00022
)

PARTS = {  # the content parts of a message or a reasoning item: channel, field of the text
    "output_text": (TEXT, "text"),
    "text": (TEXT, "text"),
    "refusal": (REFUSAL, "refusal"),
    "reasoning_text": (REASONING, "text"),
}


class ResponsesToVscode:
    """The state machine of rfc-00022: one response in, the parts of the `vscode` vocabulary out.

    `event` takes one decoded event and returns the parts that it sets free. `fail` is told what
    the events cannot tell, `close` that there are no more of them (it may set further parts free),
    and `end` gives the `done` message without its run's id. `phase` is open, failing or ended.
    """

    def __init__(self, traits: Mapping[str, object] | None = None) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        given = traits or {}
        self.traits = {name: given.get(name, values[0]) for name, values in TRAITS.items()}
        for name, value in self.traits.items():
            if value not in TRAITS[name]:
                raise ValueError(f"trait {name}: {value!r} is none of {', '.join(TRAITS[name])}")
        self.prefix = str(given.get("call_id_prefix") or "")
        self.routes = {
            TEXT: "text",
            REFUSAL: self.traits["refusal"],
            REASONING: self.traits["reasoning"],
            SUMMARY: self.traits["reasoning"],
        }
        self.phase = OPEN
        self.finish = ""
        self.usage: dict[str, int] = {}
        self.failure: dict[str, object] = {}
        self._by_index: defaultdict[int, Item] = defaultdict(Item)
        self._by_id: dict[str, Item] = {}
        self._latest = self._by_index[0]
        self._calls: list[Call] = []
        self._emitted: dict[str, Part] = {}
        self._refusal: list[str] = []
        self._held: list[Part] = []
        self._out: list[Part] = []

    @property
    def ended(self) -> bool:
        return self.phase == ENDED

    @property
    def grace_seconds(self) -> float | None:
        return ERROR_GRACE if self.phase == FAILING else None

    def event(self, data: Event) -> list[Part]:
        handler = HEARD[self.phase].get(string(data, "type"))
        if handler is not None:
            handler(self, data)
        return self._drain()

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """What the upstream said of its own failure stays; otherwise the first report counts."""
        if self.phase != ENDED and not self.failure:
            self.failure = {"kind": kind, "message": message} | ({"code": code} if code else {})

    def close(self) -> list[Part]:
        self.fail("truncated", "the stream ended before the response did")
        if self.phase != ENDED:
            self._end()
        return self._drain()

    def end(self) -> dict[str, object]:
        self.close()
        if not self.failure:
            usage = {"usage": self.usage} if self.usage else {}
            return {"type": "done", "outcome": "completed", "finish": self.finish, **usage}
        if self.traits["errors"] == "text":
            return {"type": "done", "outcome": "completed", "finish": "error"}
        return {"type": "done", "outcome": "failed", "error": self.failure}

    def _drain(self) -> list[Part]:
        parts, self._out = self._out, []
        return parts

    # Which item an event is about.

    def _at(self, data: Event, item_id: str) -> Item:
        """By output_index, else by id, else the item that was heard of last."""
        index = integer(data, "output_index")
        known = self._by_id.get(item_id)
        if known is not None and (index is None or known.by_id):
            item = known
        elif index is not None:
            item = self._by_index[index]
        else:
            item = Item(by_id=True) if item_id else self._latest
        return self._know(item, item_id)

    def _in_final_output(self, position: int, source: Event) -> Item:
        """By id; by position where ids change; by type where the final output left items out."""
        item_id, kind = string(source, "id"), string(source, "type")
        if item_id in self._by_id:
            return self._by_id[item_id]
        here = self._by_index[position]
        if here.type not in ("", kind):
            known = (*self._by_index.values(), *self._by_id.values())
            alike = (item for item in known if item.type == kind)
            here = next(alike, Item())
        return self._know(here, item_id)

    def _know(self, item: Item, item_id: str) -> Item:
        if item_id:
            item.id = item.id or item_id
            self._by_id.setdefault(item_id, item)
        self._latest = item
        return item

    # Texts: rfc-00022 § Text Content Flow, § Reasoning Flow; refusals run alike.

    def _delta(self, data: Event, content: _Content) -> None:
        item = self._at(data, string(data, "item_id"))
        index = integer(data, content.position) or 0
        said = item.said[content.channel, index]
        if not said.closed and self._heard(item, content):
            self._say(item, content.channel, index, said.grow(string(data, "delta")))

    def _heard(self, item: Item, content: _Content) -> bool:
        """Of an item's reasoning, only the spelling that came first is heard live."""
        if content.channel not in THOUGHT:
            return True
        item.spelling = item.spelling or content.stem
        return item.spelling == content.stem

    def _done(self, data: Event, content: _Content) -> None:
        item = self._at(data, string(data, "item_id"))
        index = integer(data, content.position) or 0
        self._whole(item, content.channel, index, string(data, content.whole))

    def _part_added(self, data: Event) -> None:
        part = object_(data, "part")
        channel, name = PARTS.get(string(part, "type"), (TEXT, ""))
        if name and channel not in THOUGHT:
            item = self._at(data, string(data, "item_id"))
            index = integer(data, "content_index") or 0
            self._say(item, channel, index, item.said[channel, index].begin(string(part, name)))

    def _part_done(self, data: Event) -> None:
        item = self._at(data, string(data, "item_id"))
        index = integer(data, "content_index") or 0
        self._content(item, index, object_(data, "part"))

    def _summary_part_done(self, data: Event) -> None:
        item = self._at(data, string(data, "item_id"))
        index = integer(data, "summary_index") or 0
        self._whole(item, SUMMARY, index, string(object_(data, "part"), "text"))

    def _content(self, item: Item, index: int, part: Event) -> None:
        channel, name = PARTS.get(string(part, "type"), (TEXT, ""))
        channel = REASONING if item.type == "reasoning" else channel
        self._whole(item, channel, index, string(part, name))
        self._cite(item.cited[index].beyond(sources(*objects(part, "annotations"))))

    def _whole(self, item: Item, channel: str, index: int, text: str) -> None:
        if text and not self._mirrored(item, channel, text):
            self._say(item, channel, index, item.said[channel, index].complete(text))

    def _mirrored(self, item: Item, channel: str, text: str) -> bool:
        """Whether this is reasoning that also came raw as a summary, or the other way round."""
        others = THOUGHT - {channel} if channel in THOUGHT else ()
        return any(said.text() == text for key, said in item.said.items() if key[0] in others)

    def _say(self, item: Item, channel: str, index: int, text: str) -> None:
        route = self.routes[channel]
        if not text or route == "hidden":
            return
        if route == "error":
            self._refusal.append(text)
        elif route == "text":
            self._out.append({"type": "text", "value": text})
        else:
            # Blocks of one item are told apart by their id, so nothing is put between them.
            block = {"id": f"{item.id}:{index}" if index else item.id} if item.id else {}
            self._out.append({"type": "thinking", "value": text, **block})

    def _seal(self, item: Item, sealed: str) -> None:
        """What only the upstream can read of its reasoning; the host keeps it, to give it back."""
        if sealed and not item.sealed and self.routes[REASONING] == "thinking":
            block = {"id": item.id} if item.id else {}
            metadata = {"encrypted_content": sealed}
            self._out.append({"type": "thinking", "value": "", **block, "metadata": metadata})
        item.sealed = item.sealed or bool(sealed)

    # Citations: rfc-00022 § Gap 2, stream-mapping § Priority 2; generated images.

    def _annotation(self, data: Event) -> None:
        item = self._at(data, string(data, "item_id"))
        index = integer(data, "content_index") or 0
        self._cite(item.cited[index].add(sources(data.get("annotation"))))

    def _cite(self, cited: list[Source]) -> None:
        for source in cited:
            self._out += CITED[str(self.traits["annotations"])](source)

    def _image(self, item: Item, source: Event) -> None:
        """An image leaves with its result, whatever the status says: previews are no result."""
        parts = [] if item.shown else image(source)
        item.shown = item.shown or bool(parts)
        self._out += parts

    # Items.

    def _item_added(self, data: Event) -> None:
        source = object_(data, "item")
        index = integer(data, "output_index")
        if source and index is not None and self._by_index[index].is_other(source):
            self._by_index[index].by_id = True
            self._by_index[index] = Item()
        item = self._at(data, string(source, "id"))
        item.type = item.type or string(source, "type")
        if string(source, "type") == "function_call":
            self._call(item, source)

    def _item_done(self, data: Event) -> None:
        source = object_(data, "item")
        item = self._at(data, string(source, "id"))
        self._finished(item, source, string(source, "status") not in ("incomplete", "failed"))
        item.done = True

    def _finished(self, item: Item, source: Event, complete: bool) -> None:
        kind = string(source, "type")
        item.type = item.type or kind
        if kind in ("message", "reasoning"):
            for index, part in enumerate(objects(source, "summary")):
                self._whole(item, SUMMARY, index, string(part, "text"))
            for index, part in enumerate(objects(source, "content")):
                self._content(item, index, part)
            self._seal(item, string(source, "encrypted_content"))
        elif kind == "function_call":
            self._call_finished(item, source, complete)
        elif kind == "image_generation_call":
            self._image(item, source)

    # Calls: rfc-00022 § Function Call Flow.

    def _call(self, item: Item, source: Event) -> Call:
        """The call of an item; another call_id in the same place is another call."""
        call_id, call = string(source, "call_id"), item.call
        if call is None or (call_id and call.call_id and call_id != call.call_id):
            call = item.call = Call()
            self._calls.append(call)
        call.call_id = call.call_id or call_id
        call.name = call.name or string(source, "name")
        return call

    def _call_of(self, data: Event) -> Call:
        """The call that an arguments event is about; those of unknown items lead nowhere."""
        item = self._at(data, string(data, "item_id"))
        ours = item.call or item.type in ("", "function_call")
        return self._call(item, data) if ours else Call()

    def _arguments_delta(self, data: Event) -> None:
        call = self._call_of(data)
        call.deltas.append(string(data, "delta"))

    def _arguments_done(self, data: Event) -> None:
        call = self._call_of(data)
        call.from_done = data.get("arguments")
        call.complete_by = "arguments"
        # No arguments at all may mean that the item brings them: {} would be an invention.
        if not blank(call.arguments()):
            self._offer(call)

    def _call_finished(self, item: Item, source: Event, complete: bool) -> None:
        call = self._call(item, source)
        call.from_item = source.get("arguments")
        call.complete_by = "item" if complete else ""
        if complete:
            self._offer(call)

    def _offer(self, call: Call) -> None:
        """Emits a call that can be: named, parsed, new. Others are offered again later."""
        given = read_arguments(call.arguments()).input
        if call.emitted or not call.call_id or not call.name or given is None:
            return
        part: Part = {
            "type": "toolCall",
            "callId": self.prefix + call.call_id,
            "name": call.name,
            "input": given,
        }
        call.emitted = True
        if before := self._emitted.get(call.call_id):
            if before != part:  # else the item is a repetition, and its call was made
                self.fail("decode", f"two calls have the id {call.call_id!r}")
            return
        self._emitted[call.call_id] = part
        (self._held if self.traits["emit_call_at"] == "end" else self._out).append(part)

    # Endings.

    def _completed(self, data: Event) -> None:
        response = object_(data, "response")
        status = string(response, "status")
        if status in ("failed", "cancelled"):
            self._failed(data)
        elif status == "incomplete":
            self._incomplete(data)
        else:
            self._final_items(response, complete=("completed", ""))
            self._judge_calls("item", "arguments")
            self._end(response, "tool-calls" if self._emitted else "stop")

    def _incomplete(self, data: Event) -> None:
        response = object_(data, "response")
        self._final_items(response, complete=("completed",))
        self._judge_calls("item")
        reason = string(object_(response, "incomplete_details"), "reason")
        self._end(response, FINISH.get(reason, "other"))

    def _final_items(self, response: Event, complete: tuple[str, ...]) -> None:
        for position, source in enumerate(objects(response, "output")):
            item = self._in_final_output(position, source)
            self._finished(item, source, string(source, "status") in complete)

    def _judge_calls(self, *complete_by: str) -> None:
        """Offers complete calls a last time: one that is lost must not look like a success."""
        for call in self._calls:
            if call.complete_by in complete_by:
                self._offer(call)
                if call.call_id not in self._emitted:
                    what = f"name {call.name!r}, call_id {call.call_id!r}"
                    self.fail("decode", f"a call is no call ({what}) or its arguments no object")

    def _error(self, data: Event) -> None:
        first = self.phase == OPEN
        self.failure = {"kind": "upstream", **reason_of(data), **self.failure}
        self.phase = FAILING
        if not first:
            self._end()

    def _failed(self, data: Event) -> None:
        told = reason_of(object_(data, "response"))
        first = self.phase == OPEN
        self.failure = {"kind": "upstream", **self.failure, **told}
        self.phase = FAILING
        if not first or "message" in told:
            self._end()

    def _end(self, response: Event | None = None, finish: str = "") -> None:
        if self._refusal:
            self.fail("upstream", "".join(self._refusal))
        self.phase = ENDED
        self.finish = finish
        usage = object_(response or {}, "usage")
        for name in ("input", "output"):
            tokens = integer(usage, f"{name}_tokens")
            if tokens is not None:
                self.usage[name] = tokens
        self._out += self._held
        if self.failure:
            message = self.failure.setdefault("message", "the upstream failed and gave no reason")
            if self.traits["errors"] == "text":
                self._out.append({"type": "text", "value": f"\n\n**Error:** {message}\n\n"})


Handler = Callable[[ResponsesToVscode, Event], None]

TABLE: dict[str, Handler] = {
    "response.output_item.added": ResponsesToVscode._item_added,
    "response.output_item.done": ResponsesToVscode._item_done,
    "response.content_part.added": ResponsesToVscode._part_added,
    "response.content_part.done": ResponsesToVscode._part_done,
    "response.reasoning_summary_part.done": ResponsesToVscode._summary_part_done,
    **{f"{c.stem}.delta": partial(ResponsesToVscode._delta, content=c) for c in CONTENTS},
    **{f"{c.stem}.done": partial(ResponsesToVscode._done, content=c) for c in CONTENTS},
    "response.output_text.annotation.added": ResponsesToVscode._annotation,
    "response.function_call_arguments.delta": ResponsesToVscode._arguments_delta,
    "response.function_call_arguments.done": ResponsesToVscode._arguments_done,
    "response.completed": ResponsesToVscode._completed,
    "response.incomplete": ResponsesToVscode._incomplete,
    "response.failed": ResponsesToVscode._failed,
    "error": ResponsesToVscode._error,
}

HEARD: dict[str, dict[str, Handler]] = {
    OPEN: TABLE,
    FAILING: {name: TABLE[name] for name in ("error", "response.failed")},
    ENDED: {},
}
