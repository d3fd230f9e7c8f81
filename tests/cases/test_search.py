"""Scenarios are found by words, also by those of a wrong name."""

import pytest

from mockserver.cases.load import scenario_of
from mockserver.cases.search import find_about, near_ids
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import plain_tree

IDS = (
    "any/calls-interleave", "any/cut-inside-text", "any/refusal", "any/refuses-halfway",
    "any/text-and-call-interleave", "chat/parallel-calls", "chat/refusal",
    "openresponses/item-ids-rotate",
)  # fmt: skip


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
def test_a_wrong_name_is_answered_by_words_and_then_by_letters(wanted: str, nearest: str) -> None:
    assert near_ids(wanted, IDS)[0] == nearest


@pytest.mark.parametrize("wanted", ["", "any/zebra", "?" * 10_000])
def test_a_name_like_no_other_has_no_answer(wanted: str) -> None:
    assert near_ids(wanted, IDS) == []


def scenario(id_: str, title: str, source: str = "semantics § 1.1") -> Scenario:
    turns = [{"says": [{"text": "Hello"}]}]
    value = {"title": title, "source": [source], "dialects": ["chat"], "turns": turns}
    return scenario_of(plain_tree(value, id_), id_)


SCENARIOS = (
    scenario("chat/breaks", "The connection is cut in a call"),
    scenario("chat/cut-in-a-call", "The connection breaks"),
    scenario("chat/interleaved", "Fragments of two calls come by turns", "semantics § 3.5"),
    scenario("chat/shell", "The shell gives up", "openai/openai-python#7: a timeout"),
    scenario("chat/stall", "The upstream is silent for some time"),
    scenario("chat/zebra", "An executed zebra"),
)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("zebra", ["chat/zebra"]), ("breaks", ["chat/breaks", "chat/cut-in-a-call"]),
        ("connection CUT", ["chat/cut-in-a-call", "chat/breaks"]),
        ("truncated", ["chat/cut-in-a-call", "chat/breaks"]),
        ("truncation connection", ["chat/cut-in-a-call", "chat/breaks"]),
        ("timeout", ["chat/stall", "chat/shell"]), ("interleaving", ["chat/interleaved"]),
        ("executing", ["chat/zebra"]), ("python", ["chat/shell"]), ("zebras stalled", []),
    ],
)  # fmt: skip
def test_words_are_found_in_ids_first_then_in_titles_and_sources_also_by_their_meaning(
    words: str, ids: list[str]
) -> None:
    assert [each.id for each in find_about(SCENARIOS, words.split())] == ids
