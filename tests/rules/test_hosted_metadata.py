"""Annotations and encrypted reasoning are in the metadata of the end that they belong to."""

from typing import Any

import pytest

from tests.rules.hosted_parts import (
    Change,
    Json,
    Parts,
    case_of,
    correct,
    findings,
    replaced,
    sends,
    transcript,
)

MUST, SHOULD = "must", "should"


def cite(block: str, page: str) -> Json:
    return {"cite": {"block": block, "url": f"https://example.org/{page}", "title": page}}


CITED: list[Any] = [
    {"start": {"text": "a"}},
    {"delta": {"a": "Water"}},
    cite("a", "water"),
    cite("a", "ice"),
    {"end": "a"},
    {"start": {"text": "b"}},
    {"delta": {"b": " and steam"}},
    cite("b", "steam"),
    {"end": "b"},
]
CASE = case_of(CITED)
CORRECT = correct(CASE)


def ends_of(parts: Parts) -> list[Json]:
    return [part for part in parts if part["type"] == "text-end"]


def annotations_of(end: Json) -> list[Json]:
    found: list[Json] = end["providerMetadata"]["openai"]["annotations"]
    return found


def with_annotations(n: int, held: list[Json] | None) -> Change:
    """Give the end of the text number ``n`` these annotations; None removes the field."""

    def change(parts: Parts) -> Parts:
        end = ends_of(parts)[n]
        about = {k: v for k, v in end["providerMetadata"]["openai"].items() if k != "annotations"}
        about |= {} if held is None else {"annotations": held}
        return [{**p, "providerMetadata": {"openai": about}} if p is end else p for p in parts]

    return change


FIRST, SECOND = map(annotations_of, ends_of(CORRECT))

ANNOTATIONS: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "those of the message before": (
        with_annotations(1, FIRST + SECOND),
        [("text-annotations", MUST)],
    ),
    "half of them": (with_annotations(0, FIRST[:1]), [("text-annotations", MUST)]),
    "each twice": (with_annotations(0, FIRST * 2), [("text-annotations", MUST)]),
    "another page": (replaced("org/ice", "org/fog", "text-end"), [("text-annotations", MUST)]),
    "none": (with_annotations(0, None), [("text-annotations", SHOULD)]),
    "none, and no metadata at all": (
        lambda parts: [{n: v for n, v in p.items() if n != "providerMetadata"} for p in parts],
        [],
    ),
    "those of each message": (lambda parts: parts, []),
}


@pytest.mark.parametrize(("change", "expected"), ANNOTATIONS.values(), ids=ANNOTATIONS.keys())
def test_a_text_ends_with_its_annotations(change: Change, expected: list[tuple[str, str]]) -> None:
    assert findings(CASE, transcript(CASE, change(CORRECT))) == expected


# Reasoning.

REASONED = case_of(
    [
        {"reasoning": {"text": ["First.", "Second."], "encrypted": "ZW5k", "announced": "YmVn"}},
        {"text": "Answer."},
    ]
)
NOT_STORED = correct(REASONED)
STORED = correct(REASONED, store=True)


def at_the_end(parts: Parts) -> Parts:
    """Emit the ends of reasoning before the finish."""
    ends = [part for part in parts if part["type"] == "reasoning-end"]
    others = [part for part in parts if part["type"] != "reasoning-end"]
    return [*others[:-1], *ends, others[-1]]


def overlapping(parts: Parts) -> Parts:
    """End the first part of a summary after the second one has started."""
    first = next(part for part in parts if part["type"] == "reasoning-end")
    starts = [part for part in parts if part["type"] == "reasoning-start"]
    kept = [part for part in parts if part is not first]
    at = kept.index(starts[1]) + 1
    return [*kept[:at], first, *kept[at:]]


REASONING: dict[str, tuple[Parts, bool | None, list[tuple[str, str]]]] = {
    "as the request says, unset": (NOT_STORED, None, []),
    "as the request says, false": (NOT_STORED, False, []),
    "as the request says, true": (STORED, True, []),
    "at once, although nothing is stored": (STORED, False, [("reasoning-encrypted", MUST)]),
    "at once, although nobody asks to store": (STORED, None, [("reasoning-encrypted", SHOULD)]),
    "with what the item began with": (
        replaced("ZW5k", "YmVn", "reasoning-end")(NOT_STORED),
        False,
        [("reasoning-encrypted", MUST)],
    ),
    "after the answer": (at_the_end(NOT_STORED), None, [("reasoning-end", MUST)] * 2),
    "one after the next has started": (overlapping(STORED), True, [("reasoning-end", MUST)]),
    "without metadata": (
        [{n: v for n, v in part.items() if n != "providerMetadata"} for part in NOT_STORED],
        False,
        [],
    ),
}


@pytest.mark.parametrize(("parts", "store", "expected"), REASONING.values(), ids=REASONING.keys())
def test_a_reasoning_ends_where_the_request_puts_it(
    parts: Parts, store: bool | None, expected: list[tuple[str, str]]
) -> None:
    body = {} if store is None else {"store": store}
    assert findings(REASONED, transcript(REASONED, parts, body=body)) == expected


# The answer begins before the item of the reasoning is done, which no script can say.

OVERLAPPING = sends(
    {"response.created": {}},
    {"response.in_progress": {}},
    {"response.output_item.added": {"item": {"type": "reasoning", "id": "rs_1"}}},
    {"response.reasoning_summary_part.added": {"output_index": 0}},
    {"response.reasoning_summary_text.delta": {"output_index": 0, "delta": "Hm."}},
    {"response.reasoning_summary_text.done": {"output_index": 0}},
    {"response.reasoning_summary_part.done": {"output_index": 0}},
    {"response.output_item.added": {"item": {"type": "message", "id": "msg_1"}}},
    {"response.content_part.added": {"output_index": 1}},
    {"response.output_text.delta": {"output_index": 1, "delta": "Answer."}},
    {"response.output_item.done": {"output_index": 0}},
    {"response.output_text.done": {"output_index": 1}},
    {"response.content_part.done": {"output_index": 1}},
    {"response.output_item.done": {"output_index": 1}},
    {"response.completed": {}},
    expect=[{"reasoning": "Hm."}, {"text": "Answer."}],
)


@pytest.mark.parametrize(
    ("ends_for", "asked", "expected"),
    [(True, True, []), (None, None, []), (None, True, [("reasoning-end", MUST)]), (True, None, [])],
)
def test_a_stored_reasoning_ends_at_once_and_another_with_its_item(
    ends_for: bool | None, asked: bool | None, expected: list[tuple[str, str]]
) -> None:
    parts = correct(OVERLAPPING, store=ends_for)
    body = {} if asked is None else {"store": asked}
    assert findings(OVERLAPPING, transcript(OVERLAPPING, parts, body=body)) == expected
