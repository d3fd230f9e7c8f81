"""The OpenResponses reference adapter: citations and generated images."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest

from conformance.dialects.openresponses.reference.machine import HANDLERS
from tests.data import DATA, needs_data
from tests.reference.test_openresponses_vscode import (
    Json,
    completed,
    done,
    event,
    incomplete,
    joined,
    message,
    parts_of,
    text,
)

WATER = {"type": "url_citation", "url": "https://example.org/water", "title": "Water"}
ICE = {"type": "url_citation", "url": "https://example.org/ice", "title": "Ice"}
LINK = " [Water](https://example.org/water)"


def cited(annotation: Json | None, index: int = 0) -> Json:
    return event("output_text.annotation.added", output_index=index, annotation=annotation)


def part(*annotations: Json | None, words: str = "Hot.") -> Json:
    return {"type": "output_text", "text": words, "annotations": list(annotations)}


def part_done(*annotations: Json | None, words: str = "Hot.") -> Json:
    return event("content_part.done", output_index=0, part=part(*annotations, words=words))


def answer(*annotations: Json | None, words: str = "Hot.") -> Json:
    return message() | {"content": [part(*annotations, words=words)]}


def sources(*events: Json) -> list[Json]:
    """The content of the citation data parts, without their type."""
    bodies = [json.loads(b64decode(p["data"])) for p in parts_of(*events, annotations="data")]
    assert all(body.pop("type") == "citation" for body in bodies)
    return bodies


def page(annotation: Json) -> Json:
    return {"url": annotation["url"], "title": annotation["title"]}


def test_a_link_is_where_the_upstream_cites() -> None:
    parts = parts_of(text("Hot."), cited(WATER), text(" Cold."), completed())
    assert [part["value"] for part in parts] == ["Hot.", LINK, " Cold."]


@pytest.mark.parametrize(
    ("annotation", "link"),
    [
        (WATER | {"title": ""}, " [https://example.org/water](https://example.org/water)"),
        (WATER | {"title": None}, " [https://example.org/water](https://example.org/water)"),
        (WATER | {"url": None}, ""),
        ({"type": "url_citation"}, ""),
        ({"type": "file_citation", "file_id": "file_1", "filename": "a.pdf"}, ""),
        ({"type": "acme:note", "url": "https://example.org/water", "title": "Water"}, ""),
        ({"url": "https://example.org/water", "title": "Water"}, ""),
        (None, ""),
    ],
)
def test_a_citation_without_a_url_has_no_link(annotation: Json | None, link: str) -> None:
    assert joined(parts_of(text("Hot."), cited(annotation), completed())) == f"Hot.{link}"


def test_hidden_citations_are_not_emitted() -> None:
    events = (text("Hot."), cited(WATER), part_done(WATER), completed(answer(WATER)))
    assert parts_of(*events, annotations="hidden") == [{"type": "text", "value": "Hot."}]


CARRIERS = {
    "the event": [cited(WATER)],
    "the part": [part_done(WATER)],
    "the item": [done(answer(WATER))],
    "the response": [completed(answer(WATER))],
    "a response that was cut off": [incomplete(answer(WATER))],
    "all of them": [cited(WATER), part_done(WATER), done(answer(WATER)), completed(answer(WATER))],
    "all but the event": [part_done(WATER), done(answer(WATER)), completed(answer(WATER))],
    "an event without a title": [
        cited(WATER),
        part_done({"type": "url_citation", "url": WATER["url"]}),
        completed(answer(WATER)),
    ],
}


@pytest.mark.parametrize("carriers", CARRIERS.values(), ids=CARRIERS)
def test_a_citation_is_emitted_once_whichever_events_have_it(carriers: list[Json]) -> None:
    assert joined(parts_of(text("Hot."), *carriers)) == f"Hot.{LINK}"


@pytest.mark.parametrize(
    ("expected", "whole", "left"),
    [
        ([], [WATER, WATER], [WATER, WATER]),
        ([WATER], [WATER, WATER], [WATER, WATER]),
        ([WATER, WATER], [WATER, WATER], [WATER, WATER]),
        ([ICE], [WATER, ICE], [ICE, WATER]),
        ([WATER], [], [WATER]),
        ([WATER], [None, {"type": "acme:note"}, WATER, ICE], [WATER, ICE]),
    ],
)
def test_repeated_citations_in_finished_items_are_counted(
    expected: list[Json], whole: list[Json], left: list[Json]
) -> None:
    events = [
        *(cited(each) for each in expected),
        part_done(*whole, words=""),
        completed(answer(*whole, words="")),
    ]
    assert sources(*events) == [page(each) for each in left]


def test_file_citations_are_emitted_as_data_parts() -> None:
    files: list[Json] = [
        {"type": "file_citation", "file_id": "f1", "filename": "a.pdf", "index": 3},
        {"type": "container_file_citation", "container_id": "c", "file_id": "f2", "filename": "b"},
        {"type": "file_path", "file_id": "f3", "index": 3},
    ]
    assert sources(*(cited(file) for file in files), completed()) == [
        {"file_id": "f1", "filename": "a.pdf"},
        {"container_id": "c", "file_id": "f2", "filename": "b"},
        {"file_id": "f3"},
    ]


# Images: openai, ResponseOutputItem.ImageGenerationCall

PIXEL = b64encode(b"\x89PNG").decode()


def image(**fields: Any) -> Json:
    return {"type": "image_generation_call", "id": "ig_1", "status": "completed"} | fields


def data(mime_type: str, value: str) -> Json:
    return {"type": "data", "mimeType": mime_type, "data": value}


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        (image(result=PIXEL, output_format="webp"), [data("image/webp", PIXEL)]),
        (image(result=PIXEL), [data("image/png", PIXEL)]),
        (image(result=PIXEL, status="generating"), [data("image/png", PIXEL)]),
        (image(result=None, status="failed"), []),
        (image(result=""), []),
        (image(result="no base64"), []),
        (image(), []),
    ],
)
def test_an_image_with_a_result_is_emitted_once(item: Json, parts: list[Json]) -> None:
    assert parts_of(done(item), completed(item)) == parts
    assert parts_of(completed(item)) == parts
    assert parts_of(done(item), completed(answer(words=""))) == parts


def test_a_preview_is_not_emitted() -> None:
    preview = event("image_generation_call.partial_image", output_index=0, partial_image_b64=PIXEL)
    assert preview["type"] not in HANDLERS
    assert parts_of(preview, done(image(result=None)), completed()) == []


@needs_data
@pytest.mark.parametrize("name", ["openai-web-search-tool.1", "openai-code-interpreter-tool.1"])
def test_the_citations_of_a_recorded_stream_are_those_of_its_final_response(name: str) -> None:
    lines = (DATA / f"recordings/{name}.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines if line]
    contents = [item["content"] for item in events[-1]["response"]["output"] if "content" in item]
    final = [each for content in contents for part in content for each in part["annotations"]]
    bodies = [
        json.loads(b64decode(part["data"]))
        for part in parts_of(*events, annotations="data")
        if part["type"] == "data"
    ]
    known = ("url", "title", "container_id", "file_id", "filename")
    assert bodies == [
        {"type": "citation"} | {name: each[name] for name in known if name in each}
        for each in final
    ]
