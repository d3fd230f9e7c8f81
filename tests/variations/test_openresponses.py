"""A variation changes what it names and nothing else, and the reading stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.suite import Workbench, reference_adapters, run
from mockserver.dialects import DIALECTS
from mockserver.faults import UserError
from mockserver.render import Case, case, render
from mockserver.scenario.case import parse
from mockserver.scenario.catalogue import Catalogue
from mockserver.slots import filled
from mockserver.variations import VARIATIONS

CATALOGUE = Catalogue.shipped()
SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
DIALECT = "openresponses"


def events(scenario: str, *variations: str) -> list[dict[str, Any]]:
    found = CATALOGUE.get(scenario)
    assert found is not None
    sample = DIALECTS[DIALECT].sample()
    sent = render(Case(found, DIALECT, variations), 0).plan.sent
    return [filled(each.data, sample) for each in sent if each.kind == "event"]


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


def test_a_flat_error_has_its_words_at_the_top() -> None:
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


def test_obfuscation_stands_on_deltas_only() -> None:
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


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(CATALOGUE) as bench:
        yield bench


@pytest.mark.parametrize("name", VARIATIONS)
def test_the_reading_of_every_scenario_is_the_same_under_a_variation(
    workbench: Workbench, name: str
) -> None:
    session = workbench.session(reference_adapters()[0])
    for scenario in SCENARIOS:
        result = run(session, Case(scenario, DIALECT, (name,)))
        assert result.findings == (), result.case


def test_variations_can_be_combined(workbench: Workbench) -> None:
    session = workbench.session(reference_adapters()[0])
    for scenario in SCENARIOS:
        result = run(session, Case(scenario, DIALECT, ("rotating-ids", "heartbeats", "crlf")))
        assert result.findings == (), result.case


def test_an_unknown_variation_is_told_with_the_nearest() -> None:
    with pytest.raises(UserError) as told:
        case(SCENARIOS[0], parse(f"{SCENARIOS[0].id}@{DIALECT}+crfl"))
    assert "'crlf'" in told.value.problems[0].hint
