"""What each variation of chunks changes, and what it leaves unchanged."""

from typing import Any

import pytest

from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.requests import WITH_USAGE
from mockserver.foundation.faults import UserError
from mockserver.scenario.model import Scenario
from mockserver.wire.slots import fill_json

DIALECT = "chat"
Json = dict[str, Any]

TWO_CALLS = """\
title: Text, then two calls
source: [x]
dialects: [chat]
turns:
  - says:
      - reasoning: "Hm."
      - text: "Let me look."
        in: 2
      - call: {id: call_a, name: read, input: {a: 1}}
        in: 2
      - call: {id: call_b, name: list, input: {b: 2}}
        in: 2
      - usage: {input: 11, output: 3}
"""
INTERLEAVED = "any/parallel-calls-end-in-reverse"

SCENARIO = load(TWO_CALLS.encode(), "two.yaml", "mine/two")
CATALOGUE = Catalogue.shipped()


def chunks_of(
    *variations: str, scenario: Scenario = SCENARIO, form: str = WITH_USAGE
) -> list[Json]:
    """The data of every event of a turn, in the form for a request with or without usage."""
    sent = render(Case(scenario, DIALECT, variations), 0, form=form).plan.sent
    sample = DIALECTS[DIALECT].sample()
    return [fill_json(each.data, sample) for each in sent if each.kind == "event"]


def deltas(*variations: str, scenario: Scenario = SCENARIO) -> list[Json]:
    return [
        choice["delta"]
        for data in chunks_of(*variations, scenario=scenario)
        for choice in data["choices"]
        if choice["delta"]
    ]


def fragments(*variations: str) -> list[Json]:
    return [dict(call) for delta in deltas(*variations) for call in chunks.calls(delta)]


def without(data: Json, *names: str) -> Json:
    return {name: value for name, value in data.items() if name not in names}


def test_a_chunk_without_choices_is_first_and_the_others_are_unchanged() -> None:
    first, *rest = chunks_of("empty-choices")
    assert first["choices"] == []
    assert first["id"] == first["object"] == ""
    assert first["prompt_filter_results"][0]["content_filter_results"]["hate"]["severity"] == "safe"
    assert rest == chunks_of()


def test_a_packet_about_filters_follows_every_text() -> None:
    packets = [data for data in chunks_of("filter-packets") if data not in chunks_of()]
    assert len(packets) == 2
    for packet in packets:
        (choice,) = packet["choices"]
        assert "delta" not in choice
        assert choice["finish_reason"] is None
    assert [data for data in chunks_of("filter-packets") if data not in packets] == chunks_of()


@pytest.mark.parametrize("name", ["null-delta", "finish-without-delta"])
def test_the_chunk_with_the_finish_has_nothing_else(name: str) -> None:
    (finish,) = (data["choices"][0] for data in chunks_of(name) if chunks.finish_reasons(data))
    assert finish["finish_reason"] == "tool_calls"
    assert finish.get("delta", "none") == (None if name == "null-delta" else "none")


def test_the_finish_is_beside_the_last_fragment() -> None:
    plain, varied = chunks_of(), chunks_of("finish-with-content")
    assert len(varied) == len(plain) - 1
    (last,) = (data["choices"][0] for data in varied if chunks.finish_reasons(data))
    assert last["delta"]["tool_calls"][0]["function"]["arguments"]


def test_the_content_is_null_in_deltas_without_text() -> None:
    first, *rest = deltas("null-content")
    assert first == {"content": None, "role": "assistant"}
    assert all("content" in delta for delta in rest)
    assert [delta["content"] for delta in rest if delta["content"]] == ["Let me", " look."]


@pytest.mark.parametrize(("name", "value"), [("empty-tool-calls", []), ("null-tool-calls", None)])
def test_an_empty_list_of_calls_is_beside_every_text_and_the_calls_are_unchanged(
    name: str, value: Any
) -> None:
    texts = [delta for delta in deltas(name) if "content" in delta]
    assert len(texts) == 3
    assert all(delta["tool_calls"] == value for delta in texts)
    assert fragments(name) == fragments()


def test_every_delta_has_the_role_or_none() -> None:
    # The finish has an empty delta, which gets one, too.
    assert all(delta["role"] == "assistant" for delta in deltas("role-everywhere"))
    bare = deltas("no-role")
    assert not any("role" in delta for delta in bare)
    assert bare == deltas()[1:]


@pytest.mark.parametrize(
    ("name", "shown", "opaque"),
    [
        ("cot-summary", "cot_summary", "cot_id"),
        ("copilot-reasoning", "reasoning_text", "reasoning_opaque"),
        ("reasoning-field", "reasoning", "reasoning_opaque"),
        ("thinking-field", "thinking", "signature"),
    ],
)
def test_reasoning_is_in_another_field(name: str, shown: str, opaque: str) -> None:
    plain, renamed = deltas(), deltas(name)
    assert {"reasoning_content": "Hm."} in plain
    assert {shown: "Hm."} in renamed
    assert len(renamed) == len(plain)
    copilots = CATALOGUE.get("chat/conversation-sealed-reasoning")
    assert copilots
    sent = [delta for delta in deltas(name, scenario=copilots) if opaque in delta]
    assert [delta[opaque] for delta in sent] == ["c2VhbGVkIHRob3VnaHQ="]


PLAIN = [
    {"index": 0, "id": "call_a", "type": "function", "function": {"name": "read", "arguments": ""}},
    {"index": 0, "function": {"arguments": '{"a'}},
    {"index": 0, "function": {"arguments": '":1}'}},
    {"index": 1, "id": "call_b", "type": "function", "function": {"name": "list", "arguments": ""}},
    {"index": 1, "function": {"arguments": '{"b'}},
    {"index": 1, "function": {"arguments": '":2}'}},
]


def test_without_a_variation_calls_are_sent_as_openai_sends_them() -> None:
    assert fragments() == PLAIN


@pytest.mark.parametrize(
    ("name", "later"),
    [
        ("repeated-names", {"id": "call_b", "type": "function", "name": "list"}),
        ("blank-names", {"id": "", "name": ""}),
        ("null-names", {"id": None, "type": None, "name": None}),
        ("repeated-type", {"type": "function"}),
    ],
)
def test_later_fragments_have_ids_and_names_too(name: str, later: Json) -> None:
    varied = fragments(name)
    assert varied[0] == PLAIN[0]
    assert varied[3] == PLAIN[3]
    outer = without(later, "name")
    inner = {"name": later["name"]} if "name" in later else {}
    assert varied[-1] == {**PLAIN[-1], **outer, "function": {**inner, "arguments": '":2}'}}


def test_the_index_is_the_same_shifted_or_missing() -> None:
    assert [call["index"] for call in fragments("same-index")] == [0] * 6
    assert [call["index"] for call in fragments("index-from-one")] == [1] * 3 + [2] * 3
    assert fragments("no-index") == [without(call, "index") for call in PLAIN]


def test_a_call_is_complete_in_one_fragment() -> None:
    assert fragments("arguments-at-once") == [
        {**PLAIN[0], "function": {"name": "read", "arguments": '{"a":1}'}},
        {**PLAIN[3], "function": {"name": "list", "arguments": '{"b":2}'}},
    ]
    assert len(chunks_of("arguments-at-once")) == len(chunks_of()) - 4


MISFITS = [
    (INTERLEAVED, "same-index", "only the index tells them apart"),
    (INTERLEAVED, "no-index", "only the index tells them apart"),
    (INTERLEAVED, "arguments-at-once", "only the index tells them apart"),
    ("chat/calls-without-ids", "same-index", "does not begin with an id of its own"),
    ("chat/annex-repaired", "same-index", "has no index"),
    ("chat/characters-cut-in-two", "index-from-one", "cannot change"),
    ("chat/name-in-pieces", "repeated-names", "comes in pieces"),
    ("chat/arguments-as-object", "arguments-at-once", "are no text"),
]


@pytest.mark.parametrize(("scenario", "name", "why"), MISFITS)
def test_a_variation_that_does_not_apply_is_refused_with_the_reason(
    scenario: str, name: str, why: str
) -> None:
    found = CATALOGUE.get(scenario)
    assert found
    with pytest.raises(UserError, match=why):
        make_case(found, parse(f"{scenario}@{DIALECT}+{name}"))


USED = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


def test_usage_is_in_the_chunk_with_the_finish() -> None:
    last = chunks_of("usage-with-finish")[-1]
    assert last["usage"] == USED
    assert chunks.finish_reasons(last) == ["tool_calls"]


def test_usage_in_the_chunk_with_the_finish_stays_if_that_is_joined_with_the_last_delta() -> None:
    last = chunks_of("usage-with-finish", "finish-with-content")[-1]
    assert chunks.finish_reasons(last) == ["tool_calls"]
    assert last["usage"] == USED


def test_usage_so_far_is_in_every_chunk_and_the_last_one_is_right() -> None:
    (choice,) = chunks_of("usage-beside-choice")[-1]["choices"]
    empty = {"role": "assistant", "content": ""}
    assert (choice["delta"], choice["finish_reason"]) == (empty, "tool_calls")
    used = [data["usage"] for data in chunks_of("usage-everywhere")]
    assert used[0] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert used[-1] == USED
    totals = [each["total_tokens"] for each in used]
    assert totals == sorted(totals)


@pytest.mark.parametrize(
    ("variations", "form", "other", "last"),
    [
        ((), WITH_USAGE, None, USED),
        ((), "", "absent", "absent"),
        (("usage-null",), WITH_USAGE, None, USED),
        (("usage-null",), "", None, None),
        (("no-usage-null",), WITH_USAGE, "absent", USED),
        (("usage-with-finish",), WITH_USAGE, None, USED),
        (("usage-with-finish", "no-usage-null"), WITH_USAGE, "absent", USED),
    ],
)
def test_usage_of_the_other_chunks_is_null_or_absent(
    variations: tuple[str, ...], form: str, other: Any, last: Any
) -> None:
    used = [data.get("usage", "absent") for data in chunks_of(*variations, form=form)]
    assert used == [other] * (len(used) - 1) + [last]


def test_copilots_own_fields_are_added_and_nothing_else_changes() -> None:
    first = chunks_of("copilot-fields")[0]
    assert "prompt_filter_results" in first
    for plain, varied in zip(chunks_of(), chunks_of("copilot-fields"), strict=True):
        assert varied["obfuscation"]
        assert without(plain, "choices") == {
            name: varied[name] for name in plain if name != "choices"
        }
        for before, after in zip(plain["choices"], varied["choices"], strict=True):
            assert before["delta"].items() <= after["delta"].items()
            assert before["finish_reason"] == after["finish_reason"]


def test_copilots_notices_have_no_choices() -> None:
    notices = [data for data in chunks_of("copilot-notices") if data["choices"] is None]
    assert [set(data) & {"copilot_references", "copilot_errors"} for data in notices] == [
        {"copilot_references"},
        {"copilot_errors"},
    ]
    assert [data for data in chunks_of("copilot-notices") if data not in notices] == chunks_of()


@pytest.mark.parametrize("name", ["same-index", "no-index", "repeated-names", "arguments-at-once"])
def test_a_non_streaming_answer_has_the_same_calls(name: str) -> None:
    bodies = []
    for names in ((), (name,)):
        rendered = render(Case(SCENARIO, DIALECT, names), 0)
        assert rendered.non_streaming
        bodies.append(
            b"".join(piece for piece in rendered.non_streaming if isinstance(piece, bytes))
        )
    assert bodies[0] == bodies[1]
