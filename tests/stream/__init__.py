"""Streams for the tests: one legal stream, and functions to change, number, frame and judge it.

The legal stream holds every kind of item and part: a reasoning summary, text with a citation, a
refusal, and two interleaved calls. Its events are written here, not rendered by the mock.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from conformance.dialects.own_stream import recorded_streams
from conformance.dialects.recording import read_dump
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case
from tests.schemas.test_events import CITATION, RESPONSE, USAGE

Json = dict[str, Any]
Events = list[Json]
Change = Callable[[Events], Events]

TEXT = "It is warm. "
REFUSED = "More I cannot say."
REASONED = "Look it up."
FIRST = '{"q":"x"}'
SECOND = '{"city":"Zürich"}'

TEXT_PART: Json = {"type": "output_text", "text": TEXT, "annotations": [CITATION], "logprobs": []}
REFUSAL_PART: Json = {"type": "refusal", "refusal": REFUSED}
SUMMARY_PART: Json = {"type": "summary_text", "text": REASONED}

REASONING: Json = {"type": "reasoning", "id": "rs_1", "summary": [SUMMARY_PART]}
MESSAGE: Json = {
    "type": "message",
    "id": "msg_1",
    "status": "completed",
    "role": "assistant",
    "content": [TEXT_PART, REFUSAL_PART],
}


def call(n: int, arguments: str, **fields: Any) -> Json:
    """A completed call."""
    named = {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "search"}
    return {**named, "arguments": arguments, "status": "completed", **fields}


OUTPUT: Events = [REASONING, MESSAGE, call(1, FIRST), call(2, SECOND)]

ENDS: dict[str, Json] = {
    "completed": {"completed_at": 1767225601, "usage": USAGE},
    "incomplete": {"incomplete_details": {"reason": "max_output_tokens"}, "usage": USAGE},
    "failed": {"error": {"code": "server_error", "message": "It broke."}},
}


def lifecycle(name: str, output: Events | None = None, **fields: Any) -> Json:
    """A lifecycle event; one that ends the response has the fields of its ending."""
    status = "in_progress" if name == "created" else name
    lines_of = {"status": status, "output": output or [], **ENDS.get(name, {}), **fields}
    return {"type": f"response.{name}", "response": {**RESPONSE, **lines_of}}


def added(index: int, item: Json) -> Json:
    """The `output_item.added` of an item that ends as ``item``."""
    empty: Json = {"content": [], "summary": [], "arguments": "", "status": "in_progress"}
    begun = {key: empty.get(key, value) for key, value in item.items()}
    return {"type": "response.output_item.added", "output_index": index, "item": begun}


def done(index: int, item: Json) -> Json:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def child(type_: str, id_: str, index: int, **fields: Any) -> Json:
    return {"type": f"response.{type_}", "item_id": id_, "output_index": index, **fields}


def text(index: int = 1, id_: str = "msg_1", place: int = 0, cited: bool = True) -> Events:
    """A text part in two deltas, and its citation."""
    at: Json = {"id_": id_, "index": index, "content_index": place}
    part = TEXT_PART if cited else {**TEXT_PART, "annotations": []}
    citation = child("output_text.annotation.added", **at, annotation_index=0, annotation=CITATION)
    return [
        child("content_part.added", **at, part={**TEXT_PART, "text": "", "annotations": []}),
        child("output_text.delta", **at, delta="It is "),
        child("output_text.delta", **at, delta="warm. "),
        *([citation] if cited else []),
        child("output_text.done", **at, text=TEXT),
        child("content_part.done", **at, part=part),
    ]


def refusal(place: int = 1) -> Events:
    at: Json = {"id_": "msg_1", "index": 1, "content_index": place}
    return [
        child("content_part.added", **at, part={**REFUSAL_PART, "refusal": ""}),
        child("refusal.delta", **at, delta="More "),
        child("refusal.delta", **at, delta="I cannot say."),
        child("refusal.done", **at, refusal=REFUSED),
        child("content_part.done", **at, part=REFUSAL_PART),
    ]


def summary(place: int = 0) -> Events:
    at: Json = {"id_": "rs_1", "index": 0, "summary_index": place}
    return [
        child("reasoning_summary_part.added", **at, part={**SUMMARY_PART, "text": ""}),
        child("reasoning_summary_text.delta", **at, delta="Look "),
        child("reasoning_summary_text.delta", **at, delta="it up."),
        child("reasoning_summary_text.done", **at, text=REASONED),
        child("reasoning_summary_part.done", **at, part=SUMMARY_PART),
    ]


def arguments(n: int, *deltas: str) -> Events:
    """The argument deltas of call ``n``."""
    at: Json = {"id_": f"fc_{n}", "index": n + 1}
    return [child("function_call_arguments.delta", **at, delta=delta) for delta in deltas]


def arguments_done(n: int, whole: str) -> Json:
    return child("function_call_arguments.done", f"fc_{n}", n + 1, arguments=whole)


LEGAL: Events = [
    lifecycle("created"),
    lifecycle("in_progress"),
    added(0, REASONING),
    *summary(),
    done(0, REASONING),
    added(1, MESSAGE),
    *text(),
    *refusal(),
    done(1, MESSAGE),
    added(2, call(1, FIRST)),
    added(3, call(2, SECOND)),
    *arguments(1, '{"q":'),
    *arguments(2, '{"city":', '"Zür'),
    *arguments(1, '"x"}'),
    arguments_done(1, FIRST),
    done(2, call(1, FIRST)),
    *arguments(2, 'ich"}'),
    arguments_done(2, SECOND),
    done(3, call(2, SECOND)),
    lifecycle("completed", OUTPUT),
]

ERROR: Json = {
    "type": "error",
    "error": {"type": "server_error", "code": None, "message": "It broke.", "param": None},
}

# A response that fails in the middle of a text
FAILED: Events = [
    lifecycle("created"),
    lifecycle("in_progress"),
    added(0, MESSAGE),
    *text(0, cited=False)[:2],
    ERROR,
    lifecycle("failed"),
]

CUT_CALL = call(1, '{"q":', status="incomplete")
SHORT: Json = {**MESSAGE, "content": [{**TEXT_PART, "annotations": []}]}

# A response that is cut short in the middle of a call
INCOMPLETE: Events = [
    lifecycle("created"),
    lifecycle("queued"),
    lifecycle("in_progress"),
    added(0, {"type": "reasoning", "id": "rs_1", "summary": []}),
    done(0, {"type": "reasoning", "id": "rs_1", "summary": []}),
    added(1, SHORT),
    *text(1, cited=False),
    done(1, SHORT),
    added(2, CUT_CALL),
    *arguments(1, '{"q":'),
    done(2, CUT_CALL),
    lifecycle("incomplete", [{"type": "reasoning", "id": "rs_1", "summary": []}, SHORT, CUT_CALL]),
]


RAW_PART: Json = {"type": "reasoning_text", "text": REASONED}
RAW_ITEM: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [RAW_PART]}
_RAW: Json = {"id_": "rs_1", "index": 0, "content_index": 0}

# The model's own reasoning in place of a summary, and nothing else
RAW: Events = [
    lifecycle("created"),
    lifecycle("in_progress"),
    added(0, RAW_ITEM),
    child("content_part.added", **_RAW, part={**RAW_PART, "text": ""}),
    child("reasoning.delta", **_RAW, delta="Look "),
    child("reasoning.delta", **_RAW, delta="it up."),
    child("reasoning.done", **_RAW, text=REASONED),
    child("content_part.done", **_RAW, part=RAW_PART),
    done(0, RAW_ITEM),
    lifecycle("completed", [RAW_ITEM]),
]


def numbered(events: Events) -> Events:
    """A copy of the events with sequence numbers."""
    return [{**copy.deepcopy(event), "sequence_number": n} for n, event in enumerate(events)]


@dataclass(frozen=True, slots=True)
class Wire:
    """The framing of events."""

    newline: str = "\n"
    named: bool = True
    done: bool = True
    before: str = ""

    def bytes(self, events: Events) -> bytes:
        blocks = [f"{self._name(event)}data: {self._json(event)}\n\n" for event in events]
        last = "data: [DONE]\n\n" if self.done else ""
        return _encoded((self.before + "".join(blocks) + last).replace("\n", self.newline))

    def _name(self, event: Json) -> str:
        return f"event: {event['type']}\n" if self.named and event.get("type") else ""

    def _json(self, event: Json) -> str:
        return json.dumps(event, ensure_ascii=False)


def _encoded(text: str) -> bytes:
    """Text as UTF-8; a lone surrogate becomes a JSON escape."""
    return text.encode("utf-8", "backslashreplace")


WIRE = Wire()


def json_lines(events: Events) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def judged(data: bytes) -> list[Finding]:
    dump = read_dump(data, "stream")
    return judge_stream(dump.events, dump.framing)


def lines_of(findings: list[Finding]) -> list[str]:
    """The findings as lines, for the message of a failed assertion."""
    return [f"{f.level} {f.rule} at {f.event}: {message_of(f)}" for f in findings]


def musts(case: Case) -> set[str]:
    """The rules of level must that the streams of a case break."""
    return set().union(*(musts_of(data, case.dialect) for data in recorded_streams(case)))


# Most variations of cuts and of HTTP send the same bytes.
@lru_cache(maxsize=512)
def musts_of(data: bytes, dialect: str) -> frozenset[str]:
    """The rules of level must that a recorded stream breaks."""
    dump = read_dump(data, "stream")
    found = judge_stream(dump.events, dump.framing, dialect)
    return frozenset(finding.rule for finding in found if finding.level == "must")
