"""Texts, citations and reasoning of OpenAI's Responses as stream parts, and how a stream ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference.openai_events import (
    USAGE,
    Json,
    added,
    annotation,
    completed,
    created,
    done,
    event,
    failed,
    incomplete,
    item,
    machine,
    message,
    of_item,
    openai,
    parts_of,
    play,
    refusal,
    text,
    text_delta,
    text_end,
    text_start,
)

# Texts and annotations

PAGE = {
    "type": "url_citation",
    "url": "https://example.org",
    "title": "A page",
    "start_index": 0,
    "end_index": 2,
}
FILE = {"type": "file_citation", "file_id": "file_1", "filename": "a.md", "index": 3}
CONTAINER_FILE = {
    "type": "container_file_citation",
    "container_id": "cntr_1",
    "file_id": "cfile_1",
    "filename": "b.png",
    "start_index": 0,
    "end_index": 2,
}
PATH = {"type": "file_path", "file_id": "file_2", "index": 4}


def document(file: str, media_type: str, name: str, **about: Any) -> Json:
    known = {"id": file, "mediaType": media_type, "title": name, "filename": name}
    source = {"type": "source", "sourceType": "document", **known}
    return {**source, **openai(fileId=file, **about)}


SOURCES: dict[str, tuple[Json, Json]] = {
    "a page": (
        PAGE,
        {
            "type": "source",
            "sourceType": "url",
            "id": "https://example.org",
            "url": "https://example.org",
            "title": "A page",
        },
    ),
    "a file": (FILE, document("file_1", "text/plain", "a.md", type="file_citation", index=3)),
    "a file of a container": (
        CONTAINER_FILE,
        document(
            *("cfile_1", "text/plain", "b.png"),
            type="container_file_citation",
            containerId="cntr_1",
        ),
    ),
    "a path": (
        PATH,
        document("file_2", "application/octet-stream", "file_2", type="file_path", index=4),
    ),
}


@pytest.mark.parametrize(("cited", "source"), SOURCES.values(), ids=SOURCES)
def test_an_annotation_is_a_source_at_once_and_is_in_the_end_of_its_text(
    cited: Json, source: Json
) -> None:
    parts = parts_of(added(message()), text("Hi"), annotation(cited), text("!"), done(message()))
    assert parts == [
        text_start(),
        text_delta("Hi"),
        source,
        text_delta("!"),
        text_end(annotations=[cited]),
    ]


def test_the_annotations_of_a_message_are_not_in_the_next_one() -> None:
    parts = parts_of(
        *(added(message()), annotation(PAGE), annotation(FILE, n=1), done(message(text="Hi"))),
        *(added(message("msg_2"), 1), annotation(PATH, "msg_2", 1), done(message("msg_2"), 1)),
        *(added(message("msg_3"), 2), done(message("msg_3"), 2)),
    )
    ends = [part["providerMetadata"]["openai"] for part in parts if part["type"] == "text-end"]
    assert [end.get("annotations") for end in ends] == [[PAGE, FILE], [PATH], None]


def test_an_annotation_that_only_the_finished_item_has_becomes_a_source() -> None:
    content = [{"type": "output_text", "text": "Hi", "annotations": [PAGE]}]
    whole = {**message(), "content": content}
    parts = parts_of(added(message()), text("Hi"), done(whole))
    assert [part["type"] for part in parts] == ["text-start", "text-delta", "source", "text-end"]
    assert parts[-1] == text_end(annotations=[PAGE])


TEXTS: dict[str, tuple[list[Json], list[Json]]] = {
    "a text": (
        [added(message()), text("Hi "), text("there"), done(message(text="Hi there"))],
        [text_start(), text_delta("Hi "), text_delta("there"), text_end()],
    ),
    "a text that is only in the finished item": (
        [done(message(text="Hi"))],
        [text_start(), text_delta("Hi"), text_end()],
    ),
    "a text without an announcement": (
        [text("Hi"), done(message(text="Hi there"))],
        [text_start(), text_delta("Hi"), text_delta(" there"), text_end()],
    ),
    "a message that is never done": (
        [added(message()), text("Hi")],
        [text_start(), text_delta("Hi"), text_end()],
    ),
    "an empty message": ([added(message()), done(message())], [text_start(), text_end()]),
    "a commentary": (
        [added(message(phase="commentary")), text("Hm"), done(message(phase="commentary"))],
        [text_start(phase="commentary"), text_delta("Hm"), text_end(phase="commentary")],
    ),
    "a refusal": (
        [added(message()), refusal("No"), refusal("."), done(message())],
        [text_start(), text_delta("No"), text_delta("."), text_end()],
    ),
    "a message under the id of another one": (
        [done(message(text="a")), done(message(text="b"), 1)],
        [
            *(text_start(), text_delta("a"), text_end()),
            {**text_start(), "id": "msg_1-1"},
            text_delta("b", "msg_1-1"),
            {**text_end(), "id": "msg_1-1"},
        ],
    ),
    "a compaction": (
        [done({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"})],
        [
            {
                "type": "custom",
                "kind": "openai.compaction",
                **openai(type="compaction", itemId="cmp_1", encryptedContent="gAAA"),
            }
        ],
    ),
    "events and items of unknown types": (
        [
            event("audio.delta", delta="QQ=="),
            event("reasoning_summary_part.jumped", item_id="rs_1", summary_index=0),
            added(item("hologram_call", "holo_1")),
            done(item("hologram_call", "holo_1")),
        ],
        [],
    ),
}


@pytest.mark.parametrize(("events", "expected"), TEXTS.values(), ids=TEXTS)
def test_a_message_becomes_one_block_of_text(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected


# Reasoning


def reasoning_item(encrypted: str | None = None) -> Json:
    return {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": encrypted}


def section(type_: str, index: int, **fields: Any) -> Json:
    return of_item(f"reasoning_summary_{type_}", "rs_1", summary_index=index, **fields)


def section_added(index: int) -> Json:
    return section("part.added", index, part={"type": "summary_text", "text": ""})


def section_done(index: int, whole: str) -> Json:
    return section("part.done", index, part={"type": "summary_text", "text": whole})


TWO_SECTIONS = [
    added(reasoning_item()),
    section_added(0),
    section("text.delta", 0, delta="One"),
    section_done(0, "One"),
    section_added(1),
    section("text.delta", 1, delta="Two"),
    section_done(1, "Two"),
    done(reasoning_item("gAAA")),
]

REASONING_ID = {"itemId": "rs_1"}


def reasoning_start(index: int, encrypted: str | None = None) -> Json:
    about = openai(**REASONING_ID, reasoningEncryptedContent=encrypted)
    return {"type": "reasoning-start", "id": f"rs_1:{index}", **about}


def reasoning_delta(index: int, delta: str) -> Json:
    known = {"id": f"rs_1:{index}", "delta": delta}
    return {"type": "reasoning-delta", **known, **openai(**REASONING_ID)}


def reasoning_end(index: int, **about: Any) -> Json:
    return {"type": "reasoning-end", "id": f"rs_1:{index}", **openai(**REASONING_ID, **about)}


SEALED = {"reasoningEncryptedContent": "gAAA"}

FIRST_SECTION = [reasoning_start(0), reasoning_delta(0, "One"), reasoning_end(0)]
SECOND_SECTION = [reasoning_start(1), reasoning_delta(1, "Two")]
STORED = [*FIRST_SECTION, *SECOND_SECTION, reasoning_end(1)]
NOT_STORED = [*FIRST_SECTION, *SECOND_SECTION, reasoning_end(1, **SEALED)]


@pytest.mark.parametrize(
    ("store", "expected"), [(True, STORED), (False, NOT_STORED), (None, NOT_STORED)]
)
def test_the_parts_of_a_summary_end_where_store_puts_it(
    store: bool | None, expected: list[Json]
) -> None:
    assert parts_of(*TWO_SECTIONS, begun=machine(store)) == expected


@pytest.mark.parametrize(("store", "ends_at"), [(True, [3, 6]), (False, [4, 7])])
def test_a_part_that_is_not_stored_ends_with_the_next_part_or_the_item(
    store: bool, ends_at: list[int]
) -> None:
    begun = machine(store)
    emitted = [[part["type"] for part in begun.event(each)] for each in TWO_SECTIONS]
    assert [n for n, types in enumerate(emitted) if "reasoning-end" in types] == ends_at


REASONING: dict[str, tuple[list[Json], list[Json]]] = {
    "reasoning without words": (
        [added(reasoning_item("early")), done(reasoning_item("gAAA"))],
        [reasoning_start(0, "early"), reasoning_end(0, **SEALED)],
    ),
    "reasoning without a part's end": (
        [
            added(reasoning_item()),
            section("text.delta", 0, delta="One"),
            section_added(1),
            section("text.delta", 1, delta="Two"),
            done(reasoning_item("gAAA")),
        ],
        [
            *(reasoning_start(0), reasoning_delta(0, "One")),
            *(reasoning_start(1), reasoning_delta(1, "Two")),
            *(reasoning_end(0, **SEALED), reasoning_end(1, **SEALED)),
        ],
    ),
    "reasoning without encrypted content": (
        [added(reasoning_item()), section("text.delta", 0, delta="One"), done(reasoning_item())],
        [
            *(reasoning_start(0), reasoning_delta(0, "One")),
            reasoning_end(0, reasoningEncryptedContent=None),
        ],
    ),
}


@pytest.mark.parametrize(("events", "expected"), REASONING.values(), ids=REASONING)
def test_reasoning_becomes_a_block_for_each_part(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected


def test_raw_reasoning_is_read_as_a_summary() -> None:
    delta = of_item("reasoning_text.delta", "rs_1", content_index=0, delta="Hm.")
    parts = parts_of(added(reasoning_item()), delta, done(reasoning_item()))
    assert [part["type"].removeprefix("reasoning-") for part in parts] == ["start", "delta", "end"]


# The response


def test_a_stream_begins_with_its_metadata_and_finishes_with_its_usage() -> None:
    parts, ending = play([created(), created(), completed(usage=USAGE, service_tier="default")])
    assert parts == [
        {"type": "stream-start", "warnings": []},
        {
            "type": "response-metadata",
            "id": "resp_1",
            "timestamp": "2026-01-28T00:00:00+00:00",
            "modelId": "gpt-5",
        },
        {
            "type": "finish",
            "finishReason": {"unified": "stop"},
            "usage": {
                "inputTokens": {"total": 11, "noCache": 7, "cacheRead": 4},
                "outputTokens": {"total": 22, "text": 17, "reasoning": 5},
            },
            **openai(responseId="resp_1", serviceTier="default"),
        },
    ]
    assert ending["usage"] == {"input": 11, "output": 22}


def test_a_response_without_usage_has_none() -> None:
    parts, ending = play([created(), completed()])
    assert parts[-1]["usage"] == {"inputTokens": {}, "outputTokens": {}}
    assert "usage" not in ending


REASONS: dict[str, tuple[list[Json], Json, str]] = {
    "a refusal": (
        [added(message()), refusal("No"), done(message()), completed()],
        *({"unified": "content-filter"}, "completed"),
    ),
    "cut by length": (
        [incomplete("max_output_tokens")],
        *({"unified": "length", "raw": "max_output_tokens"}, "completed"),
    ),
    "cut by a filter": (
        [incomplete("content_filter")],
        *({"unified": "content-filter", "raw": "content_filter"}, "completed"),
    ),
    "cut for another reason": (
        [incomplete("steered")],
        *({"unified": "other", "raw": "steered"}, "completed"),
    ),
    "broken off": ([created(), text("Hi")], {"unified": "interrupted"}, "failed"),
}


@pytest.mark.parametrize(("events", "reason", "outcome"), REASONS.values(), ids=REASONS)
def test_the_reason_of_the_finish_is_that_of_the_response(
    events: list[Json], reason: Json, outcome: str
) -> None:
    parts, ending = play(events)
    assert parts[-1]["finishReason"] == reason
    assert ending["outcome"] == outcome
    assert "error" not in [part["type"] for part in parts]


FLAT = {"type": "error", "code": "server_error", "message": "Busy", "sequence_number": 3}
NESTED = {"type": "error", "error": {"code": "server_error", "message": "Busy"}}
FAILED = failed("server_error", "Busy")

FAILURES: dict[str, list[Json]] = {
    "failed": [FAILED],
    "a flat error": [FLAT],
    "a nested error": [NESTED],
    "an error, then failed": [FLAT, FAILED],
    "failed, then completed": [FAILED, completed()],
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_one_error_before_the_finish(failure: list[Json]) -> None:
    parts, ending = play([created(), added(message()), text("Hi"), *failure])
    assert parts[-2:] == [
        {"type": "error", "error": {"message": "Busy", "code": "server_error"}},
        {
            "type": "finish",
            "finishReason": {"unified": "error", "raw": "error"},
            "usage": {"inputTokens": {}, "outputTokens": {}},
            **openai(responseId="resp_1"),
        },
    ]
    assert [part["type"] for part in parts].count("error") == 1
    assert ending["outcome"] == "failed"


def test_an_event_that_is_no_json_finishes_with_an_error() -> None:
    begun = machine()
    begun.event(created())
    begun.fail("decode", "an event is not JSON: {")
    error, finish = begun.close()
    assert error == {"type": "error", "error": {"message": "an event is not JSON: {"}}
    assert finish["finishReason"] == {"unified": "error", "raw": "error"}


def test_an_answer_that_is_no_stream_has_no_parts() -> None:
    begun = machine()
    begun.fail("http", "HTTP 500")
    assert begun.close() == []
    assert begun.end()["error"] == {"kind": "http", "message": "HTTP 500"}
