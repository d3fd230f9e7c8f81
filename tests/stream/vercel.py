"""Legal streams of the AI SDK by layer and generation, and functions to make and change parts.

Each holds reasoning, text, a call with a streamed input, a source and a file; a full stream and a
message also hold a second step. Source: the notes about the streams of released versions; the
examples are those of ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
"""

from __future__ import annotations

import json
from typing import Any

from tests.stream import Change, Events, Json
from tests.stream.tables import table_of

STREAMS = table_of("conformance.dialects.vercel").bases
"""The legal streams by name, each with its dialect and its events."""

V3, AI_4, AI_6 = (STREAMS[name][1] for name in ("V3", "ai 4", "ai 6"))
V3_FINISH = V3[-1]
PNG = "iVBORw0KGgo="


def part(type_: str, **fields: Any) -> Json:
    return {"type": type_, **fields}


def block(kind: str, id_: str, field: str, *said: str) -> Events:
    grown = [part(f"{kind}-delta", id=id_, **{field: value}) for value in said]
    return [part(f"{kind}-start", id=id_), *grown, part(f"{kind}-end", id=id_)]


def streamed(id_: str, *pieces: str) -> Events:
    """The streamed input of a call, as providers and full streams name its parts."""
    grown = [part("tool-input-delta", id=id_, delta=piece) for piece in pieces]
    return [
        part("tool-input-start", id=id_, toolName="search"),
        *grown,
        part("tool-input-end", id=id_),
    ]


def called(id_: str, **input_: Any) -> Json:
    return part("tool-call", toolCallId=id_, toolName="search", **input_)


def written(events: Events, before: str = "", done: bool = True) -> bytes:
    """The parts as server-sent events."""
    blocks = "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    return (before + blocks + ("data: [DONE]\n\n" if done else "")).encode()


def place(events: Events, type_: str, nth: int = 0) -> int:
    """The index of the ``nth`` part of a type; negative numbers count from the end."""
    return [n for n, event in enumerate(events) if event["type"] == type_][nth]


def edit(type_: str, nth: int = 0, /, **fields: Any) -> Change:
    """Changes fields of one part; None removes one."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        merged = {**events[at], **fields}
        edited = {name: value for name, value in merged.items() if value is not None}
        return [*events[:at], edited, *events[at + 1 :]]

    return change


def drop(type_: str, nth: int = 0) -> Change:
    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return events[:at] + events[at + 1 :]

    return change


def drop_all(*types: str) -> Change:
    return lambda events: [event for event in events if event["type"] not in types]


def put(type_: str, nth: int, *more: Json) -> Change:
    """Adds parts before one."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return [*events[:at], *more, *events[at:]]

    return change


def again(type_: str, nth: int = 0) -> Change:
    """Repeats a part."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return [*events[: at + 1], *events[at:]]

    return change


def first(type_: str) -> Change:
    """Moves one part to the beginning."""

    def change(events: Events) -> Events:
        at = place(events, type_)
        return [events[at], *events[:at], *events[at + 1 :]]

    return change


def upto(type_: str, nth: int, *more: Json) -> Change:
    """The stream up to one part, without it, then ``more``."""
    return lambda events: [*events[: place(events, type_, nth)], *more]


def after(*more: Json) -> Change:
    return lambda events: [*events, *more]


def both(*changes: Change) -> Change:
    def change(events: Events) -> Events:
        for one in changes:
            events = one(events)
        return events

    return change
