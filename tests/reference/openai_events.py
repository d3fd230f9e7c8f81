"""Builds events of OpenAI's Responses, with the fields that their types require, and parts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.openresponses.reference.openai_stream.adapter import ResponsesToStream
from conformance.dialects.openresponses.reference.openai_stream.blocks import Tables
from conformance.dialects.openresponses.reference.openai_stream.emitter import TABLES
from mockserver.foundation.shipped import schema

Json = dict[str, Any]

PART = Draft202012Validator(schema("parts/stream"))

RESPONSE: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1769558400,
    "model": "gpt-5",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
USAGE: Json = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 22,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 33,
}


def event(type_: str, **fields: Any) -> Json:
    return {"type": f"response.{type_}", "sequence_number": 0, **fields}


def of_item(type_: str, item_id: str, index: int = 0, **fields: Any) -> Json:
    return event(type_, item_id=item_id, output_index=index, **fields)


def added(item: Json, index: int = 0) -> Json:
    return event("output_item.added", output_index=index, item=item)


def done(item: Json, index: int = 0) -> Json:
    return event("output_item.done", output_index=index, item=item)


def item(type_: str, id_: str, status: str = "completed", **fields: Any) -> Json:
    return {"type": type_, "id": id_, "status": status, **fields}


def message(id_: str = "msg_1", text: str = "", **fields: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}] if text else []
    return item("message", id_, role="assistant", content=content, **fields)


def text(delta: str, id_: str = "msg_1", index: int = 0) -> Json:
    return of_item("output_text.delta", id_, index, content_index=0, delta=delta, logprobs=[])


def refusal(delta: str, id_: str = "msg_1", index: int = 0) -> Json:
    return of_item("refusal.delta", id_, index, content_index=0, delta=delta)


def annotation(value: Json, id_: str = "msg_1", index: int = 0, n: int = 0) -> Json:
    place = {"content_index": 0, "annotation_index": n}
    return of_item("output_text.annotation.added", id_, index, **place, annotation=value)


def created() -> Json:
    return event("created", response=RESPONSE)


def completed(*output: Json, **fields: Any) -> Json:
    response = {**RESPONSE, "status": "completed", "output": list(output), **fields}
    return event("completed", response=response)


def incomplete(reason: str) -> Json:
    response = {**RESPONSE, "status": "incomplete", "incomplete_details": {"reason": reason}}
    return event("incomplete", response=response)


def failed(code: str, message_: str) -> Json:
    error = {"code": code, "message": message_}
    return event("failed", response={**RESPONSE, "status": "failed", "error": error})


def machine(
    store: bool | None = None,
    messages: Iterable[Json] = (),
    tools: Iterable[Json] = (),
    tables: Tables = TABLES,
) -> ResponsesToStream:
    """A machine for a request with these options, messages and tools."""
    begun = ResponsesToStream(tables=tables)
    options = {} if store is None else {"store": store}
    begun.begin({"options": options, "messages": list(messages), "tools": list(tools)})
    return begun


def without_parts(kind: str, event: str) -> Tables:
    """The tables without the parts of an event of a kind of item; its state changes as ever."""
    silent = {key: step._replace(parts=()) for key, step in TABLES[kind].items() if key[1] == event}
    return {**TABLES, kind: {**TABLES[kind], **silent}}


def play(events: Iterable[Json], begun: ResponsesToStream | None = None) -> tuple[list[Json], Json]:
    """All parts of a stream, which are valid and can be sent as JSON, and its ending."""
    begun = begun or machine()
    parts = [part for each in events for part in begun.event(each)] + begun.close()
    for part in parts:
        PART.validate(part)
        json.dumps(part, ensure_ascii=False).encode()
    return parts, begun.end()


def parts_of(*events: Json, begun: ResponsesToStream | None = None) -> list[Json]:
    """The parts of the items of a stream, without those about the response."""
    parts, _ = play([*events, completed()], begun)
    about = ("stream-start", "response-metadata", "finish")
    return [part for part in parts if part["type"] not in about]


def openai(**fields: Any) -> Json:
    """The metadata of a part."""
    return {"providerMetadata": {"openai": fields}}


def text_start(id_: str = "msg_1", **fields: Any) -> Json:
    return {"type": "text-start", "id": id_, **openai(itemId=id_, **fields)}


def text_delta(delta: str, id_: str = "msg_1") -> Json:
    return {"type": "text-delta", "id": id_, "delta": delta}


def text_end(id_: str = "msg_1", **fields: Any) -> Json:
    return {"type": "text-end", "id": id_, **openai(itemId=id_, **fields)}


def input_start(id_: str, name: str, **fields: Any) -> Json:
    return {"type": "tool-input-start", "id": id_, "toolName": name, **fields}


def input_delta(id_: str, delta: str) -> Json:
    return {"type": "tool-input-delta", "id": id_, "delta": delta}


def input_end(id_: str) -> Json:
    return {"type": "tool-input-end", "id": id_}


def call(id_: str, name: str, input_: str, item_id: str, **fields: Any) -> Json:
    known = {"toolCallId": id_, "toolName": name, "input": input_}
    return {"type": "tool-call", **known, **fields, **openai(itemId=item_id)}


def result(id_: str, name: str, value: Any, **fields: Any) -> Json:
    known = {"toolCallId": id_, "toolName": name, "result": value}
    return {"type": "tool-result", **known, **fields}


HOSTED: Json = {"providerExecuted": True}
