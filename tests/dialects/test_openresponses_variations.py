"""A variation changes what it names and nothing else, and the reading stays the same."""

import json
from itertools import pairwise
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.expectation.projection import expectations
from conformance.suite.workbench import items, reference_adapters
from mockserver.cases.case import Case, make_case, misfit, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import UserError
from mockserver.wire.frames import Gate
from mockserver.wire.slots import fill_json

CATALOGUE = Catalogue.shipped()
DIALECT = "openresponses"
SCENARIOS = [
    entry.scenario
    for entry in CATALOGUE.entries()
    if entry.scenario and DIALECT in entry.scenario.dialects
]

(ADAPTER,) = (
    adapter
    for adapter in reference_adapters()
    if DIALECT in adapter.dialects and adapter.vocabulary == "vscode"
)


def events(scenario: str, *variations: str) -> list[dict[str, Any]]:
    found = CATALOGUE.get(scenario)
    assert found is not None
    sample = DIALECTS[DIALECT].sample()
    sent = render(Case(found, DIALECT, variations), 0).plan.sent
    return [fill_json(each.data, sample) for each in sent if each.kind == "event"]


def test_rotating_ids_give_every_event_of_an_item_another_id_and_keep_call_ids() -> None:
    plain = events("openresponses/parallel-calls")
    rotated = events("openresponses/parallel-calls", "rotating-ids")
    ids = [event["item_id"] for event in rotated if "item_id" in event]
    assert len(ids) == len(set(ids))
    responses = [event["response"]["id"] for event in rotated if "response" in event]
    assert len(responses) == len(set(responses))
    for before, after in zip(plain, rotated, strict=True):
        assert after["type"] == before["type"]
        assert after.get("output_index") == before.get("output_index")
        assert after.get("item", {}).get("call_id") == before.get("item", {}).get("call_id")


def test_a_flat_error_has_its_fields_at_the_top() -> None:
    (error,) = (
        event
        for event in events("openresponses/error-then-failed", "flat-error")
        if event["type"] == "error"
    )
    assert error == {
        "type": "error",
        "sequence_number": error["sequence_number"],
        "code": "rate_limit_exceeded",
        "message": "Rate limit reached for requests.",
    }


def test_obfuscation_is_on_deltas_only() -> None:
    for event in events("any/reasoning", "obfuscation"):
        assert ("obfuscation" in event) == event["type"].endswith(
            ("output_text.delta", "reasoning_summary_text.delta")
        )


def test_without_its_preamble_a_stream_starts_with_an_item_and_counts_from_zero() -> None:
    bare = events("any/reasoning", "no-preamble")
    assert bare[0]["type"] == "response.output_item.added"
    assert [event["sequence_number"] for event in bare] == list(range(len(bare)))


def test_heartbeats_follow_every_event_before_the_end() -> None:
    beaten = events("any/refusal", "heartbeats")
    assert [event["sequence_number"] for event in beaten] == list(range(len(beaten)))
    types = [event["type"] for event in beaten]
    assert types[1::2] == ["acme:heartbeat"] * (len(types) // 2)
    assert types[-1] == "response.completed"


def test_raw_reasoning_has_the_event_names_of_openai() -> None:
    plain = [event["type"] for event in events("openresponses/raw-reasoning")]
    renamed = [event["type"] for event in events("openresponses/raw-reasoning", "reasoning-text")]
    assert renamed == [
        name.replace("response.reasoning.", "response.reasoning_text.") for name in plain
    ]
    assert renamed.count("response.reasoning_text.delta") == 2
    assert renamed.count("response.reasoning_text.done") == 1


def test_a_summary_has_the_event_names_of_rfc_00022_and_keeps_its_parts() -> None:
    types = {event["type"] for event in events("any/reasoning", "reasoning-summary")}
    assert {"response.reasoning_summary.delta", "response.reasoning_summary.done"} < types
    assert "response.reasoning_summary_part.added" in types
    assert not any(name.startswith("response.reasoning_summary_text") for name in types)


def test_log_probabilities_are_on_every_text_of_the_answer() -> None:
    sent = events("any/reasoning", "logprobs")
    deltas = [event for event in sent if event["type"] == "response.output_text.delta"]
    for delta in deltas:
        assert "".join(each["token"] for each in delta["logprobs"]) == delta["delta"]
    (part,) = sent[-1]["response"]["output"][1]["content"]
    assert [each["token"] for each in part["logprobs"]] == ["It", " is", " 4."]
    assert part["logprobs"][0]["bytes"] == [73, 116]
    assert all("logprobs" not in event for event in sent if "reasoning" in event["type"])


def test_optional_fields_are_removed_at_any_depth() -> None:
    sent = json.dumps(events("any/reasoning", "no-optional-fields"))
    for name in ("logprobs", "annotations", "input_tokens_details", "output_tokens_details"):
        assert f'"{name}"' not in sent
    assert '"input_tokens"' in sent


def test_the_completed_response_has_no_output() -> None:
    *before, last = events("any/reasoning", "empty-completed-output")
    assert last["response"]["output"] == []
    assert before == events("any/reasoning")[:-1]


CALL = "any/text-and-call-interleave"


def test_arguments_come_without_deltas() -> None:
    sent = events(CALL, "arguments-only-in-done")
    types = [event["type"] for event in sent]
    assert "response.function_call_arguments.delta" not in types
    (done,) = (event for event in sent if event["type"].endswith("arguments.done"))
    assert done["arguments"] == '{"path":"/src/app.ts"}'
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))


def test_arguments_are_only_in_their_item() -> None:
    sent = events(CALL, "arguments-only-in-item")
    assert not any("arguments" in event["type"] for event in sent)
    items = [event["item"] for event in sent if event["type"] == "response.output_item.done"]
    assert items[-1]["arguments"] == '{"path":"/src/app.ts"}'


def test_a_call_is_only_in_the_completed_response() -> None:
    *before, last = events(CALL, "calls-only-in-completed")
    assert "call_1" not in json.dumps(before)
    assert last["response"]["output"][1]["call_id"] == "call_1"
    assert last["response"]["output"][1]["arguments"] == '{"path":"/src/app.ts"}'


def test_a_call_that_comes_with_the_end_may_follow_all_of_the_text() -> None:
    found = CATALOGUE.get("any/calls-before-text")
    assert found is not None
    for variation, latest in (("arguments-only-in-item", {0}), ("calls-only-in-completed", None)):
        ((_, expected),) = expectations(Case(found, DIALECT, (variation,)), Traits())
        text = {len(expected.text.text)}
        assert {call.latest for call in expected.calls} == (latest or text), variation


@pytest.mark.parametrize("name", ["arguments-only-in-item", "calls-only-in-completed"])
def test_no_checkpoint_is_kept_if_calls_complete_later(name: str) -> None:
    found = CATALOGUE.get("any/call-between-texts")
    assert found is not None
    gates = [
        [write for write in render(each, 0).plan.writes if isinstance(write, Gate)]
        for each in (Case(found, DIALECT), Case(found, DIALECT, (name,)))
    ]
    assert gates[0]
    assert not gates[1]


@pytest.mark.parametrize("name", ["unknown-events", "future-events"])
def test_unknown_events_refer_to_the_item_of_the_preceding_event(name: str) -> None:
    sent = events("any/refusal", name)
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))
    for known, unknown in pairwise(sent):
        if "item_id" in known and "refusal" in known["type"]:
            assert unknown["item_id"] == known["item_id"]
            assert unknown["output_index"] == known["output_index"]
            assert unknown["delta"] == "not for you"


@pytest.mark.parametrize("name", ["unknown-items", "future-items"])
def test_an_unknown_item_is_first_and_the_indexes_of_the_others_move_up(name: str) -> None:
    plain, woven = events(CALL), events(CALL, name)
    assert [event["type"] for event in woven[:2]] == ["response.created", "response.in_progress"]
    added, _, done = woven[2:5]
    assert added["output_index"] == done["output_index"] == 0
    assert [event["output_index"] - 1 for event in woven[5:-1]] == [
        event["output_index"] for event in plain[2:-1]
    ]
    output = woven[-1]["response"]["output"]
    assert output[0] == done["item"]
    assert output[1:] == plain[-1]["response"]["output"]


def test_a_bundle_applies_all_of_its_variations() -> None:
    for name in ("openai", "copilot", "lmstudio", "xai"):
        members = VARIATIONS[name].in_dialect("openresponses").consists_of
        for scenario in ("openresponses/raw-reasoning", CALL):
            assert events(scenario, name) == events(scenario, *members), name


def test_a_bundle_leaves_out_variations_that_do_not_apply() -> None:
    whole = events("openresponses/arguments-empty-at-their-end", "lmstudio")
    assert whole == events("openresponses/arguments-empty-at-their-end", "reasoning-text")


MISFITS = [
    ("openresponses/no-output-index", "rotating-ids", "no output index"),
    ("openresponses/one-index-for-two-items", "rotating-ids", "two items have the output index 0"),
    (
        "openresponses/arguments-empty-at-their-end",
        "arguments-only-in-done",
        "not have all arguments",
    ),
    ("openresponses/item-is-never-done", "arguments-only-in-item", "not have all arguments"),
    (
        "openresponses/final-output-is-empty",
        "calls-only-in-completed",
        "not have all of the call 'call_find'",
    ),
    ("openresponses/failed-after-text", "calls-only-in-completed", "never completed"),
    ("openresponses/call-only-in-final-response", "empty-completed-output", "no earlier event has"),
    ("openresponses/characters-cut-in-two", "unknown-items", "cannot move up"),
]


@pytest.mark.parametrize(("scenario", "name", "why"), MISFITS)
def test_a_variation_that_does_not_apply_is_refused_with_the_reason(
    scenario: str, name: str, why: str
) -> None:
    found = CATALOGUE.get(scenario)
    assert found is not None
    with pytest.raises(UserError) as raised:
        make_case(found, parse(f"{scenario}@{DIALECT}+{name}"))
    assert f"the variation {name!r} makes no sense for {scenario}: " in str(raised.value)
    assert why in str(raised.value)


def test_the_suite_makes_no_case_of_a_variation_that_does_not_apply_or_changes_nothing() -> None:
    ids = {each.id for each in items(CATALOGUE, [ADAPTER], ["rotating-ids", "flat-error"])}
    plain = f"openresponses/no-output-index@{DIALECT}"
    assert plain in ids
    assert f"{plain}+rotating-ids" not in ids
    assert f"{plain}+flat-error" not in ids
    assert f"any/refusal@{DIALECT}+rotating-ids" in ids
    assert f"any/error-at-once@{DIALECT}+flat-error" in ids


def test_a_scenario_is_varied_only_if_it_streams() -> None:
    ids = {item.id for item in items(CATALOGUE, reference_adapters(), ["crlf"])}
    plain, several = "any/status-503-without-body", "any/status-503-then-stream"
    assert {f"{plain}@{DIALECT}", f"{several}@{DIALECT}", f"{several}@{DIALECT}+crlf"} < ids
    assert f"{plain}@{DIALECT}+crlf" not in ids


def test_an_unknown_variation_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError) as raised:
        make_case(SCENARIOS[0], parse(f"{SCENARIOS[0].id}@{DIALECT}+crfl"))
    assert "'crlf'" in raised.value.problems[0].hint


def test_no_variation_removes_the_checkpoint_at_which_a_host_cancels() -> None:
    found = Catalogue.shipped().get("any/cancel-in-arguments")
    assert found is not None
    assert "checkpoint at which the host cancels" in misfit(
        Case(found, DIALECT, ("arguments-only-in-item",))
    )
    assert not misfit(Case(found, DIALECT, ("heartbeats",)))
