"""The contract and the published schema of OpenResponses agree about every field.

Each legal event is changed in every place in turn: the field is removed, or has another value. Both
must accept or refuse the result alike, except in the places listed here.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from mockserver.foundation.schemas import accepts
from tests.data import DATA, needs_data
from tests.schemas import Path, at, changed, ours, places, problems, published, published_document
from tests.schemas.test_events import (
    ALTERNATIVES,
    CITATION,
    EVENTS,
    FLAT_ERROR,
    FULL_RESPONSE,
    ITEMS,
    LOGPROB,
    PARTS,
    PUBLISHED,
    RESPONSE,
    event,
    name,
)

pytestmark = needs_data

_CONTENT: dict[str, Any] = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
_IMAGE = {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"}
_FILE = {"type": "input_file", "filename": "a.pdf", "file_url": "https://example.org/a.pdf"}
_VIDEO = {"type": "input_video", "video_url": "https://example.org/a.mp4"}
_FORMAT = {"type": "json_schema", "name": "x", "description": None, "strict": True, "schema": None}


def done(item: dict[str, Any] | None) -> dict[str, Any]:
    return event("response.output_item.done", output_index=0, item=item)


def opened(part: dict[str, Any]) -> dict[str, Any]:
    return event("response.content_part.added", **_CONTENT, part=part)


def completed(**fields: Any) -> dict[str, Any]:
    return event("response.completed", response=FULL_RESPONSE | fields)


# The legal events, and one for each item, part, optional field and nullable object
SUBJECTS: tuple[dict[str, Any], ...] = (
    *PUBLISHED,
    *ALTERNATIVES,
    *map(done, ITEMS.values()),
    done(ITEMS["reasoning"] | {"content": [PARTS["text"]], "encrypted_content": "b3BhcXVl"}),
    done(ITEMS["message"] | {"phase": "commentary", "content": [_VIDEO]}),
    done(ITEMS["function_call_output"] | {"output": [_IMAGE, _FILE]}),
    done(ITEMS["compaction"] | {"created_by": "mock"}),
    *map(opened, [*PARTS.values(), _FILE]),
    opened(PARTS["output_text"] | {"annotations": [CITATION]}),
    event("response.output_text.delta", **_CONTENT, delta="", logprobs=[LOGPROB], obfuscation="x"),
    event("error", error=PUBLISHED[-1]["error"] | {"headers": {"retry-after": "1"}}),
    event(
        "response.failed",
        response=RESPONSE
        | {"text": {"format": _FORMAT, "verbosity": "low"}}
        | {"tool_choice": {"type": "function", "name": "search"}},
    ),
)

# For a type with another name, the published type that has its shape
TWINS = {
    "response.reasoning_text.delta": "response.reasoning.delta",
    "response.reasoning_text.done": "response.reasoning.done",
    "response.reasoning_summary.delta": "response.reasoning_summary_text.delta",
    "response.reasoning_summary.done": "response.reasoning_summary_text.done",
}

# Places that accept objects of types that OpenResponses does not have: real upstreams send tools,
# items and citations of their own, and a client must be able to ignore them
OPEN = {"item", "output", "tools", "tool_choice", "annotation", "annotations"}

# What the response object of api.openai.com leaves out
LACKING = {"completed_at", "presence_penalty", "frequency_penalty"}


@cache
def component(type_: str) -> str:
    """The published schema of an event, chosen by its type."""
    (title,) = (
        title
        for title, body in published_document()["components"]["schemas"].items()
        if title.endswith("StreamingEvent") and body["properties"]["type"]["enum"] == [type_]
    )
    return str(title)


def verdicts(document: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the contract accepts the event, and whether the published schema does."""
    twin = TWINS.get(document["type"], document["type"])
    theirs = accepts(published(component(twin)), document | {"type": twin})
    return accepts(ours(EVENTS), document), theirs


def differs_on_purpose(document: dict[str, Any], place: Path) -> bool:
    """Whether the contract accepts more at a place on purpose: unknown types, and any schema."""
    outer = place[:-1] if place[-1] == "type" else place
    value = at(document, outer)
    if outer[-1] == "schema":
        return isinstance(value, dict)
    (*_, field) = (step for step in outer if isinstance(step, str))
    return field in OPEN and value["type"] in ("x", "acme:x")


def test_the_minimal_events_have_the_published_required_fields_and_no_others() -> None:
    for legal in PUBLISHED:
        title = component(legal["type"])
        assert accepts(published(title), legal)
        assert set(legal) == set(published_document()["components"]["schemas"][title]["required"])


def test_all_31_fields_of_the_response_are_required_by_both() -> None:
    assert len(FULL_RESPONSE) == 31
    for field in FULL_RESPONSE:
        rest = {key: value for key, value in FULL_RESPONSE.items() if key != field}
        assert verdicts(event("response.completed", response=rest)) == (False, False), field


@pytest.mark.parametrize("legal", SUBJECTS, ids=name)
def test_both_agree_about_every_changed_place(legal: dict[str, Any]) -> None:
    compared = 0
    for place in places(legal):
        if place == ("type",):
            continue
        for other in changed(legal, place):
            mine, theirs = verdicts(other)
            assert mine == theirs or (mine and differs_on_purpose(other, place)), other
            compared += 1
    assert compared > 10


@pytest.mark.parametrize(
    "document",
    [
        *(completed(truncation=value) for value in ("auto", "disabled")),
        *(
            completed(text={"format": {"type": kind}, "verbosity": value})
            for kind in ("text", "json_object")
            for value in ("low", "medium", "high")
        ),
        *(
            completed(reasoning={"effort": effort, "summary": summary})
            for effort in ("none", "low", "medium", "high", "xhigh", None)
            for summary in ("concise", "detailed", "auto", None)
        ),
        *(completed(tool_choice=value) for value in ("none", "auto", "required")),
        *(
            completed(tool_choice={"type": "allowed_tools", "tools": [], "mode": mode})
            for mode in ("none", "auto", "required")
        ),
        *(
            done(ITEMS["message"] | {"status": status, "role": role, "phase": phase})
            for status in ("in_progress", "completed", "incomplete")
            for role in ("user", "assistant", "system", "developer")
            for phase in ("commentary", "final_answer")
        ),
        *(opened(_IMAGE | {"detail": value}) for value in ("low", "high", "auto")),
    ],
)
def test_both_accept_every_value_of_an_enumeration(document: dict[str, Any]) -> None:
    assert verdicts(document) == (True, True)


_ANNOTATED = event("response.output_text.annotation.added", **_CONTENT, annotation_index=0)


@pytest.mark.parametrize(
    ("because", "document", "accepted"),
    [
        ("an index counts from 0", opened(PARTS["text"]) | {"output_index": -7}, False),
        ("the SDKs of OpenAI have the flat error", FLAT_ERROR, True),
        (
            "OpenAI knows less effort",
            completed(reasoning={"effort": "minimal", "summary": None}),
            True,
        ),
        ("OpenAI knows more effort", completed(reasoning={"effort": "max", "summary": None}), True),
        ("a format has a schema", completed(text={"format": _FORMAT | {"schema": {}}}), True),
        ("a message may hold a video, so a part may open one", opened(_VIDEO), True),
        ("upstreams echo tools of their own", completed(tools=[{"type": "web_search"}]), True),
        ("OpenAI also cites files", _ANNOTATED | {"annotation": {"type": "file_citation"}}, True),
        ("extension items must be ignorable", done({"type": "acme:search"}), True),
    ],
)
def test_the_schemas_differ_at_the_listed_places(
    because: str, document: dict[str, Any], accepted: bool
) -> None:
    assert verdicts(document) == (accepted, not accepted), because


def recorded(names: str = "*") -> Iterator[dict[str, Any]]:
    """Every event of the recorded Responses streams with such names."""
    for path in sorted((DATA / "recordings").glob(f"{names}.jsonl")):
        if not path.name.endswith((".chat.jsonl", ".messages.jsonl")):
            yield from map(json.loads, path.read_text("utf-8").splitlines())


def test_a_recorded_event_that_the_published_schema_accepts_is_accepted() -> None:
    known = {legal["type"] for legal in PUBLISHED}
    taken = 0
    for document in recorded():
        if document["type"] in known and accepts(published(component(document["type"])), document):
            assert problems(ours(EVENTS), document) == []
            taken += 1
    assert taken > 600


@pytest.mark.parametrize(("names", "lacking"), [("lmstudio-*", set()), ("openai-*", LACKING)])
def test_recorded_events_are_refused_only_for_missing_fields(names: str, lacking: set[str]) -> None:
    found = {found for document in recorded(names) for found in problems(ours(EVENTS), document)}
    assert found == {("$.response", f"'{field}' is a required property") for field in lacking}


def test_events_of_xai_are_refused_only_for_their_response_objects() -> None:
    found = {found for document in recorded("xai-*") for found in problems(ours(EVENTS), document)}
    assert {place for place, _ in found} == {
        "$.response", "$.response.temperature", "$.response.top_p",
    }  # fmt: skip
