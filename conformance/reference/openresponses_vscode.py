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

`ResponsesToVscode` is the machine: events in, parts out, no I/O. `Adapter` carries bytes to it.
Names that stand in no table here are ignored in silence, as the specification asks.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import NamedTuple

import aiohttp

from conformance.reference.sse import Decoder, Message

Event = Mapping[str, object]
Part = dict[str, object]

DIALECT = "openresponses"

TRAITS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thinking", "text", "hidden"),
    "refusal": ("text", "error", "hidden"),
    "errors": ("reject", "part", "text"),  # the vocabulary has no error part: `part` rejects
    "emit_call_at": ("complete", "end"),
}
"""The choices of this adapter, the default first; `call_id_prefix` is free text, empty at first."""

TEXT, REFUSAL, REASONING, SUMMARY = "text", "refusal", "reasoning", "summary"
THOUGHT = frozenset({REASONING, SUMMARY})
OPEN, FAILING, ENDED = "open", "failing", "ended"
FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


# Reading fields: whatever is missing or of another type is empty.


def _string(source: Event, name: str) -> str:
    value = source.get(name)
    return value if isinstance(value, str) else ""


def _object(source: Event, name: str) -> Event:
    value = source.get(name)
    return value if isinstance(value, dict) else {}


def _objects(source: Event, name: str) -> list[Event]:
    """The entries of an array, each at its own position."""
    value = source.get(name)
    entries = value if isinstance(value, list) else []
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def _integer(source: Event, name: str) -> int | None:
    value = source.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# What is remembered.


@dataclass(slots=True)
class _Said:
    """What has left of one text: each character leaves once."""

    pieces: list[str] = field(default_factory=list)
    half: str = ""  # a surrogate that waits for its other half
    closed: bool = False  # the whole text was heard, so later deltas are repetitions

    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, delta: str) -> str:
        """What may leave now that these characters came."""
        text = _paired(self.half + delta)
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = text.removesuffix(self.half)
        self.pieces.append(text)
        return text

    def complete(self, whole: str) -> str:
        """What the whole text has beyond what left; nothing where the two contradict."""
        said = self.text()
        self.closed = True
        self.half = ""
        return self.add(whole[len(said) :]) if whole.startswith(said) else ""


@dataclass(slots=True)
class _Call:
    """A function call on its way."""

    call_id: str = ""
    name: str = ""
    deltas: list[str] = field(default_factory=list)
    from_done: object = None
    from_item: object = None
    complete_by: str = ""  # the event that said so: "arguments" or "item"

    def arguments(self) -> object:
        """The finished item over `.done` over the deltas; what is blank says nothing."""
        told = (self.from_item, self.from_done, _paired("".join(self.deltas)))
        return next((value for value in told if not _blank(value)), None)


@dataclass(slots=True)
class _Item:
    """One output item, as far as it was heard of; `id` is the first one that it was given."""

    id: str = ""
    type: str = ""
    done: bool = False
    shared: bool = False  # its output_index was given to another item, too
    said: dict[tuple[str, int], _Said] = field(default_factory=lambda: defaultdict(_Said))
    spelling: str = ""  # the reasoning deltas that are heard; others mirror them
    call: _Call | None = None

    def is_other(self, announced: Event) -> bool:
        """Whether what is announced in this item's place is another item."""
        known, call_id = self.call.call_id if self.call else "", _string(announced, "call_id")
        follows = self.done and _string(announced, "id") != self.id
        return follows or bool(call_id and known and call_id != known)


def _paired(text: str) -> str:
    """Joins surrogates that came in two deltas to the one character that they are."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _blank(arguments: object) -> bool:
    return arguments is None or (isinstance(arguments, str) and not arguments.strip(" \t\r\n"))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _input(arguments: object) -> dict[str, object] | None:
    """Arguments as an object, {} for none at all; None where they are anything else."""
    if _blank(arguments):
        return {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return None
    return arguments if isinstance(arguments, dict) else None


def _reason(body: Event) -> dict[str, object]:
    """`message` and `code` of an error, nested or flat, as far as it has them."""
    nested = body.get("error")
    source = nested if isinstance(nested, dict) else body
    message = nested if isinstance(nested, str) else source.get("message") or source.get("detail")
    code = source.get("code")
    reason: dict[str, object] = {}
    if isinstance(message, str) and message:
        reason["message"] = message
    if isinstance(code, str | int) and not isinstance(code, bool) and code != "":
        reason["code"] = str(code)
    return reason


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
        self._by_index: defaultdict[int, _Item] = defaultdict(_Item)
        self._by_id: dict[str, _Item] = {}
        self._latest = self._by_index[0]
        self._calls: list[_Call] = []
        self._emitted: set[str] = set()
        self._refusal: list[str] = []
        self._held: list[Part] = []
        self._out: list[Part] = []

    def event(self, data: Event) -> list[Part]:
        handler = HEARD[self.phase].get(_string(data, "type"))
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

    def _at(self, data: Event, item_id: str) -> _Item:
        """By output_index, else by id, else the item that was heard of last."""
        index = _integer(data, "output_index")
        known = self._by_id.get(item_id)
        if known is not None and (index is None or known.shared):
            item = known
        elif index is not None:
            item = self._by_index[index]
        else:
            item = _Item() if item_id else self._latest
        return self._know(item, item_id)

    def _in_final_output(self, position: int, source: Event) -> _Item:
        """By id; by position where ids change; by type where the final output left items out."""
        item_id, kind = _string(source, "id"), _string(source, "type")
        if item_id in self._by_id:
            return self._by_id[item_id]
        here = self._by_index[position]
        if here.type not in ("", kind):
            alike = (item for item in self._by_index.values() if item.type == kind)
            here = next(alike, _Item())
        return self._know(here, item_id)

    def _know(self, item: _Item, item_id: str) -> _Item:
        if item_id:
            item.id = item.id or item_id
            self._by_id.setdefault(item_id, item)
        self._latest = item
        return item

    # Texts: rfc-00022 § Text Content Flow, § Reasoning Flow; refusals run alike.

    def _delta(self, data: Event, content: _Content) -> None:
        item = self._at(data, _string(data, "item_id"))
        index = _integer(data, content.position) or 0
        said = item.said[content.channel, index]
        if not said.closed and self._heard(item, content):
            self._say(item, content.channel, index, said.add(_string(data, "delta")))

    def _heard(self, item: _Item, content: _Content) -> bool:
        """Of an item's reasoning, only the spelling that came first is heard live."""
        if content.channel not in THOUGHT:
            return True
        item.spelling = item.spelling or content.stem
        return item.spelling == content.stem

    def _done(self, data: Event, content: _Content) -> None:
        item = self._at(data, _string(data, "item_id"))
        index = _integer(data, content.position) or 0
        self._whole(item, content.channel, index, _string(data, content.whole))

    def _part_done(self, data: Event) -> None:
        item = self._at(data, _string(data, "item_id"))
        index = _integer(data, "content_index") or 0
        self._content(item, index, _object(data, "part"))

    def _summary_part_done(self, data: Event) -> None:
        item = self._at(data, _string(data, "item_id"))
        index = _integer(data, "summary_index") or 0
        self._whole(item, SUMMARY, index, _string(_object(data, "part"), "text"))

    def _content(self, item: _Item, index: int, part: Event) -> None:
        channel, name = PARTS.get(_string(part, "type"), (TEXT, ""))
        channel = REASONING if item.type == "reasoning" else channel
        self._whole(item, channel, index, _string(part, name))

    def _whole(self, item: _Item, channel: str, index: int, text: str) -> None:
        if text and not self._mirrored(item, channel, text):
            self._say(item, channel, index, item.said[channel, index].complete(text))

    def _mirrored(self, item: _Item, channel: str, text: str) -> bool:
        """Whether this is reasoning that also came raw as a summary, or the other way round."""
        others = THOUGHT - {channel} if channel in THOUGHT else ()
        return any(said.text() == text for key, said in item.said.items() if key[0] in others)

    def _say(self, item: _Item, channel: str, index: int, text: str) -> None:
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

    # Items.

    def _item_added(self, data: Event) -> None:
        source = _object(data, "item")
        index = _integer(data, "output_index")
        if source and index is not None and self._by_index[index].is_other(source):
            self._by_index[index].shared = True
            self._by_index[index] = _Item(shared=True)
        item = self._at(data, _string(source, "id"))
        item.type = item.type or _string(source, "type")
        if _string(source, "type") == "function_call":
            self._call(item, source)

    def _item_done(self, data: Event) -> None:
        source = _object(data, "item")
        item = self._at(data, _string(source, "id"))
        self._finished(item, source, _string(source, "status") not in ("incomplete", "failed"))
        item.done = True

    def _finished(self, item: _Item, source: Event, complete: bool) -> None:
        kind = _string(source, "type")
        item.type = item.type or kind
        if kind in ("message", "reasoning"):
            for index, part in enumerate(_objects(source, "summary")):
                self._whole(item, SUMMARY, index, _string(part, "text"))
            for index, part in enumerate(_objects(source, "content")):
                self._content(item, index, part)
        elif kind == "function_call":
            self._call_finished(item, source, complete)

    # Calls: rfc-00022 § Function Call Flow.

    def _call(self, item: _Item, source: Event) -> _Call:
        """The call of an item; another call_id in the same place is another call."""
        call_id, call = _string(source, "call_id"), item.call
        if call is None or (call_id and call.call_id and call_id != call.call_id):
            call = item.call = _Call()
            self._calls.append(call)
        call.call_id = call.call_id or call_id
        call.name = call.name or _string(source, "name")
        return call

    def _call_of(self, data: Event) -> _Call:
        """The call that an arguments event is about; those of unknown items lead nowhere."""
        item = self._at(data, _string(data, "item_id"))
        ours = item.call or item.type in ("", "function_call")
        return self._call(item, data) if ours else _Call()

    def _arguments_delta(self, data: Event) -> None:
        call = self._call_of(data)
        call.deltas.append(_string(data, "delta"))

    def _arguments_done(self, data: Event) -> None:
        call = self._call_of(data)
        call.from_done = data.get("arguments")
        call.complete_by = call.complete_by or "arguments"
        # No arguments at all may mean that the item brings them: {} would be an invention.
        if not _blank(call.arguments()):
            self._offer(call)

    def _call_finished(self, item: _Item, source: Event, complete: bool) -> None:
        call = self._call(item, source)
        call.from_item = source.get("arguments")
        call.complete_by = "item" if complete else ""
        if complete:
            self._offer(call)

    def _offer(self, call: _Call) -> None:
        """Emits a call that can be: named, parsed, new. Others are offered again later."""
        given = _input(call.arguments())
        if not call.call_id or not call.name or given is None or call.call_id in self._emitted:
            return
        self._emitted.add(call.call_id)
        part: Part = {
            "type": "toolCall",
            "callId": self.prefix + call.call_id,
            "name": call.name,
            "input": given,
        }
        (self._held if self.traits["emit_call_at"] == "end" else self._out).append(part)

    # Endings.

    def _completed(self, data: Event) -> None:
        response = _object(data, "response")
        status = _string(response, "status")
        if status in ("failed", "cancelled"):
            self._failed(data)
        elif status == "incomplete":
            self._incomplete(data)
        else:
            self._final_items(response, complete=("completed", ""))
            self._judge_calls("item", "arguments")
            self._end(response, "tool-calls" if self._emitted else "stop")

    def _incomplete(self, data: Event) -> None:
        response = _object(data, "response")
        self._final_items(response, complete=("completed",))
        self._judge_calls("item")
        reason = _string(_object(response, "incomplete_details"), "reason")
        self._end(response, FINISH.get(reason, "other"))

    def _final_items(self, response: Event, complete: tuple[str, ...]) -> None:
        for position, source in enumerate(_objects(response, "output")):
            item = self._in_final_output(position, source)
            self._finished(item, source, _string(source, "status") in complete)

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
        self.failure = {"kind": "upstream", **_reason(data), **self.failure}
        self.phase = FAILING
        if not first:
            self._end()

    def _failed(self, data: Event) -> None:
        told = _reason(_object(data, "response"))
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
        usage = _object(response or {}, "usage")
        for name in ("input", "output"):
            tokens = _integer(usage, f"{name}_tokens")
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
    "response.content_part.done": ResponsesToVscode._part_done,
    "response.reasoning_summary_part.done": ResponsesToVscode._summary_part_done,
    **{f"{c.stem}.delta": partial(ResponsesToVscode._delta, content=c) for c in CONTENTS},
    **{f"{c.stem}.done": partial(ResponsesToVscode._done, content=c) for c in CONTENTS},
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


# The thin layer around it: bytes in, parts and one ending out.

ERROR_GRACE = 1.0
"""Seconds that an `error` waits for its `response.failed`, should the upstream fall silent."""

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}

Emit = Callable[[Part], None]


def adapter(traits: Mapping[str, object] | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter(traits)


class Adapter:
    """Plays runs of drive/1 against an OpenResponses upstream; keeps nothing between them."""

    def __init__(
        self,
        traits: Mapping[str, object] | None = None,
        machine: type[ResponsesToVscode] | None = None,
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        self._traits = dict(traits or {})
        self._machine = machine or ResponsesToVscode
        self._prefix = ResponsesToVscode(traits).prefix

    def hello(self) -> dict[str, object]:
        me = {"name": "reference-openresponses-vscode", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(
        self, run: dict[str, object], emit: Emit, cancel: asyncio.Event
    ) -> dict[str, object]:
        """Emits the parts of one run; returns its `done` or `unsupported` message."""
        if run.get("dialect") != DIALECT:
            reason = f"this adapter speaks {DIALECT}, not {run.get('dialect')}"
            return {"type": "unsupported", "id": run["id"], "reason": reason}
        machine = self._machine(self._traits)
        outlet = _Outlet(emit, cancel, _integer(_object(run, "cancel"), "after_parts"))
        if not outlet.shut:
            with suppress(_Cancelled):
                await _unless(cancel, _exchange(run, request(run, self._prefix), machine, outlet))
        if outlet.shut:
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        return {**machine.end(), "id": run["id"]}


class _Cancelled(Exception):
    """The host wants no further part; on its way out this releases the connection."""


class _Outlet:
    """Lets parts out until the run is cancelled, also in the middle of a burst."""

    def __init__(self, emit: Emit, cancel: asyncio.Event, left: int | None) -> None:
        self._emit, self._cancel, self._left = emit, cancel, left

    @property
    def shut(self) -> bool:
        return self._cancel.is_set() or self._left == 0

    def __call__(self, parts: list[Part]) -> None:
        for part in parts:
            if not self.shut:
                self._emit(part)
                self._left = None if self._left is None else self._left - 1
            if self.shut:
                raise _Cancelled


async def _unless(cancel: asyncio.Event, work: Coroutine[object, object, None]) -> None:
    """Awaits the work, or gives it up in the middle of whatever it waits for."""
    task, watch = asyncio.ensure_future(work), asyncio.ensure_future(cancel.wait())
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
        watch.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)
    if not task.cancelled():
        task.result()


async def _exchange(run: Event, body: Event, machine: ResponsesToVscode, outlet: _Outlet) -> None:
    """One request and its answer. Nothing is sent twice, so no part can come twice."""
    url = _string(run, "base_url").rstrip("/") + "/responses"
    headers = {
        "Authorization": f"Bearer {_string(run, 'api_key')}",
        "Accept": "text/event-stream",
    }
    patient = aiohttp.ClientTimeout(total=None)  # the driver owns the clock
    try:
        async with (
            aiohttp.ClientSession(timeout=patient) as session,
            session.post(url, json=body, headers=headers) as response,
        ):
            if response.status >= 400 or response.content_type != "text/event-stream":
                machine.fail(*_no_stream(response, await response.read()))
            else:
                await _read(response.content, machine, outlet)
    except (aiohttp.ClientError, OSError) as error:
        machine.fail("transport", f"{type(error).__name__}: {error}")
    outlet(machine.close())


async def _read(content: aiohttp.StreamReader, machine: ResponsesToVscode, outlet: _Outlet) -> None:
    """Reads up to the terminal event, which may come long before the end of the connection."""
    decoder = Decoder()
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as grace:
            async for chunk in content.iter_any():
                for message in decoder.feed(chunk):
                    if not _take(message, machine, outlet, broken="decode"):
                        return
                if machine.phase == FAILING and grace.when() is None:
                    grace.reschedule(asyncio.get_running_loop().time() + ERROR_GRACE)
    for message in decoder.end():
        _take(message, machine, outlet, broken="truncated")


def _take(message: Message, machine: ResponsesToVscode, outlet: _Outlet, broken: str) -> bool:
    """Hands one message on; False where it makes no sense to read further."""
    if message.data == "[DONE]":
        return False
    try:
        event = _decoded(message)
    except (ValueError, RecursionError):
        machine.fail(broken, f"an event is not JSON: {message.data[:200]}")
        return False
    outlet(machine.event(event))
    return machine.phase != ENDED


def _decoded(message: Message) -> Event:
    """The event; one without `type` is an error by its shape, or goes by its SSE name."""
    data = json.loads(message.data) if message.data.strip() else {}
    if not isinstance(data, dict):
        return {}
    return {"type": "error" if data.get("error") else message.event, **data}


def _no_stream(response: aiohttp.ClientResponse, body: bytes) -> tuple[str, str, object]:
    """Kind, message and code of an answer that is no event stream."""
    try:
        told = _reason(json.loads(body))
    except (ValueError, RecursionError, AttributeError):
        told = {}
    if response.status >= 400:
        kind, message = "http", f"HTTP {response.status} {response.reason}"
    else:
        kind, message = "decode", f"{response.content_type} instead of an event stream"
    return kind, str(told.get("message", message)), told.get("code")


def request(run: Event, prefix: str = "") -> dict[str, object]:
    """The upstream request of a run; `prefix` is what this adapter put before call ids."""
    options = _object(run, "options")
    body = {name: value for name, value in options.items() if name != "max_retries"}
    body |= {"model": run.get("model"), "stream": True}
    body["input"] = [item for m in _objects(run, "messages") for item in _items(m, prefix)]
    tools = [
        {"type": "function"} | {TOOL_FIELDS[name]: tool[name] for name in TOOL_FIELDS & tool.keys()}
        for tool in _objects(run, "tools")
    ]
    return {**body, "tools": tools} if tools else body


def _items(message: Event, prefix: str) -> Iterator[dict[str, object]]:
    """A message as input items; of an assistant's parts, texts and calls go back."""
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id = _string(message, "callId").removeprefix(prefix)
        yield {"type": "function_call_output", "call_id": call_id, "output": content}
    elif role != "assistant":
        yield {"type": "message", "role": role, "content": content}
    else:
        for kind, parts in groupby(_objects(message, "content"), lambda part: part.get("type")):
            if kind == "text":
                text = "".join(_string(part, "value") for part in parts)
                yield {"type": "message", "role": role, "content": text}
            elif kind == "toolCall":
                yield from (_call_item(part, prefix) for part in parts)


def _call_item(part: Event, prefix: str) -> dict[str, object]:
    return {
        "type": "function_call",
        "call_id": _string(part, "callId").removeprefix(prefix),
        "name": part.get("name"),
        "arguments": json.dumps(part.get("input")),
    }


def gateway() -> Adapter:
    """The adapter of rfc-00022: it prefixes call ids."""
    return Adapter({"call_id_prefix": "gw-"})
