"""Legal streams of OpenResponses for the tests, and functions to make, frame and judge streams.

The first legal stream has every kind of item and part: a reasoning summary, text with a citation, a
refusal, and two interleaved calls. Its events are written by hand, not rendered by the mock.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from conformance.dialects.recording import read_dump, recorded_streams
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case
from tests.schemas.test_events import CITATION, RESPONSE, USAGE
from tests.stream.tables import Events, Json, Wire, events_of, json_lines, numbered

__all__ = ["Events", "Json", "Wire", "json_lines", "numbered"]

Change = Callable[[Events], Events]

LEGAL: Events = events_of("openresponses")
FAILED: Events = events_of("openresponses", "failed")
INCOMPLETE: Events = events_of("openresponses", "incomplete")
RAW: Events = events_of("openresponses", "raw reasoning")
LEGAL_TOOLS: Events = events_of("openresponses", "OpenAI's tools")

OUTPUT: Events = LEGAL[-1]["response"]["output"]
MESSAGE: Json = OUTPUT[1]
TEXT_PART: Json = MESSAGE["content"][0]
TEXT: str = TEXT_PART["text"]


def call(n: int, arguments: str, **fields: Any) -> Json:
    named = {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "search"}
    return {**named, "arguments": arguments, "status": "completed", **fields}


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


def arguments_done(n: int, whole: str) -> Json:
    return child("function_call_arguments.done", f"fc_{n}", n + 1, arguments=whole)


WIRE = Wire()


def judged(data: bytes) -> list[Finding]:
    dump = read_dump(data, "stream")
    return judge_stream(dump.events, dump.framing)


def lines_of(findings: list[Finding]) -> list[str]:
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
