"""Broken bytes: framing, fields of single events, and events of other protocols."""

from __future__ import annotations

from collections.abc import Callable

from tests.stream import FAILED, LEGAL, RAW, WIRE, Events, Json, Wire, added, child, done
from tests.stream.broken import Broken
from tests.stream.changes import GONE, after, both, edit, edit_all, renamed

_HTML = "HTTP/1.1 200 OK\nContent-Type: application/json\n\n"


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Events], bytes]:
    return lambda events: change(WIRE.bytes(events))


def _replaced(old: bytes, new: bytes) -> Callable[[Events], bytes]:
    return _bytes(lambda data: data.replace(old, new))


FRAMING = (
    Broken("nodone", "framing", written=Wire(done=False).bytes),
    Broken("noevent", "framing", level="should", written=Wire(named=False).bytes),
    Broken(
        "wrongeventname",
        "framing",
        written=_replaced(b"event: response.output_text.delta", b"event: banana"),
    ),
    Broken("wrongct", "framing", written=Wire(before=_HTML).bytes),
    Broken("noblank", "framing", written=_bytes(lambda data: data.removesuffix(b"\n\n"))),
    Broken("cut inside an event", "framing", written=_bytes(lambda data: data[:-200])),
    Broken(
        "a last event without its blank line, and no [DONE]",
        "framing",
        written=lambda events: Wire(done=False).bytes(events).removesuffix(b"\n"),
    ),
    Broken(
        "data that is not JSON",
        "framing",
        written=_replaced(b"data: [DONE]", b"data: {oops\n\ndata: [DONE]"),
    ),
    Broken(
        "not a number",
        "framing",
        written=_replaced(b'"annotation_index": 0', b'"annotation_index": NaN'),
    ),
    Broken("half a character", "framing", written=_replaced("Zür".encode(), b"Z\xc3r")),
    Broken(
        "ids",
        "framing",
        level="should",
        written=_replaced(b"event: response.created", b"id: 7\nevent: response.created"),
    ),
    Broken(
        "an event after [DONE]",
        "framing",
        written=lambda events: Wire().bytes(events[:-1]) + Wire(done=False).bytes(events[-1:]),
    ),
    Broken("[DONE] twice", "framing", written=_bytes(lambda data: data + b"data: [DONE]\n\n")),
)

_SLUG: Json = {"type": "acme:trace_event", "trace": {"span": "7f3a"}}
_PART = "content_part.added"
_DELTA = "output_text.delta"

FIELDS = (
    Broken("negindex", "stream-types", edit(_DELTA, output_index=-7)),
    Broken("negindex everywhere", "stream-types", edit_all(output_index=-7)),
    Broken("stringindex", "stream-types", edit(_DELTA, output_index="1")),
    Broken(
        "a string as index of a new item",
        "stream-types",
        edit("output_item.added", 1, output_index="1"),
    ),
    Broken("notype", "stream-types", edit(_DELTA, type=GONE)),
    Broken(
        "a type that only the event line has",
        "stream-types",
        written=_replaced(b'data: {"type": "response.output_text.delta", ', b"data: {"),
    ),
    Broken("an empty type", "stream-types", edit(_DELTA, type="")),
    Broken("no delta", "stream-types", edit(_DELTA, delta=GONE)),
    Broken(
        "values of the wrong kind, each another one",
        "stream-types",
        lambda events: [
            {**event, "delta": n} if "delta" in event else event for n, event in enumerate(events)
        ],
    ),
    Broken(
        "two things are missing",
        "stream-types",
        both(edit(_DELTA, item_id=GONE), edit("refusal.delta", delta=GONE)),
        times=2,
    ),
    Broken("no item_id", "stream-types", edit(_DELTA, item_id=GONE)),
    Broken("no content_index", "stream-types", edit(_DELTA, content_index=GONE)),
    Broken("no output_index", "stream-types", edit(_DELTA, output_index=GONE)),
    Broken("no annotations", "stream-types", edit(_PART, part={"annotations": GONE})),
    Broken("no part", "stream-types", edit(_PART, part=GONE)),
    Broken("no usage", "stream-types", edit("completed", response={"usage": GONE})),
    Broken("no item", "stream-types", edit("output_item.done", 1, item=GONE)),
    Broken(
        "a call without arguments",
        "stream-types",
        edit("output_item.added", 2, item={"arguments": GONE}),
    ),
    Broken(
        "arguments as an object", "stream-types", edit("function_call_arguments.done", arguments={})
    ),
    Broken(
        "flaterror",
        "stream-types",
        edit("error", error=GONE, message="It broke."),
        of=tuple(FAILED),
    ),
    Broken(
        "data that is no object",
        "stream-types",
        written=_replaced(b"data: [DONE]", b"data: 5\n\ndata: [DONE]"),
    ),
    Broken("no number", "stream-types", numbers=edit_all(_DELTA, sequence_number=GONE)),
    Broken("no number at all", "stream-types", numbers=edit_all(sequence_number=GONE)),
    Broken("a number as a word", "stream-types", numbers=edit("created", sequence_number="0")),
    Broken(
        "a vendor's event without a number",
        "stream-types",
        after("in_progress", 0, _SLUG),
        numbers=edit("acme:trace_event", sequence_number=GONE),
    ),
)

_SEARCH: Json = {"type": "web_search_call", "id": "ws_1", "status": "completed"}

OTHER_PROTOCOLS = (
    Broken(
        "reasoning_text",
        "extensions",
        both(
            renamed("reasoning.delta", "reasoning_text.delta"),
            renamed("reasoning.done", "reasoning_text.done"),
        ),
        of=tuple(RAW),
        times=2,
    ),
    Broken(
        "reasoning_summary.delta",
        "extensions",
        renamed("reasoning_summary_text.delta", "reasoning_summary.delta"),
    ),
    Broken(
        "an event without a vendor's name",
        "extensions",
        after("created", 0, {"type": "response.rate_limits"}, {"type": "response.rate_limits"}),
    ),
    Broken(
        "an item without a vendor's name, and its own events",
        "extensions",
        both(
            after(
                "output_item.done",
                -1,
                added(4, _SEARCH),
                child("web_search_call.searching", "ws_1", 4),
                done(4, _SEARCH),
            ),
            edit("completed", response={"output": [*LEGAL[-1]["response"]["output"], _SEARCH]}),
        ),
    ),
)

WIRES = (*FRAMING, *FIELDS, *OTHER_PROTOCOLS)
