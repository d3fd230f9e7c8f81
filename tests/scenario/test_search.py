"""Scenarios are found by words, also by those of a wrong name."""

from __future__ import annotations

import pytest

from mockserver.scenario.search import near_ids

IDS = (
    "any/calls-interleave",
    "any/cut-inside-text",
    "any/refusal",
    "any/refuses-halfway",
    "any/text-and-call-interleave",
    "chat/parallel-calls",
    "chat/refusal",
    "openresponses/item-ids-rotate",
)


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        ("any/refusals", "any/refusal"),
        ("chat/refusals", "chat/refusal"),
        ("any/tool-calls-in-parallel", "chat/parallel-calls"),
        ("interleaving calls", "any/calls-interleave"),
        ("Rotating item ids", "openresponses/item-ids-rotate"),
        ("any/cut-in-text", "any/cut-inside-text"),
        ("any/refsal", "any/refusal"),
    ],
)
def test_a_wrong_name_is_answered_by_its_words_and_then_by_its_letters(
    wanted: str, nearest: str
) -> None:
    assert near_ids(wanted, IDS)[0] == nearest


@pytest.mark.parametrize("wanted", ["", "any/zebra", "?" * 10_000])
def test_a_name_like_no_other_has_no_answer(wanted: str) -> None:
    assert near_ids(wanted, IDS) == []
