"""``--vary faults`` plays a sample: of each kind of fault one, at a place that the case chooses."""

import re

import pytest

from conformance.suite.varied_cases import asked_variations, sampled_faults, varied
from conformance.suite.workbench import reference_adapters
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.variations import FAULTS
from mockserver.dialects import DIALECTS
from mockserver.scenario.model import Scenario

KINDS = (
    r"stop:.*:clean", r"stop:.*:cut", r"stop:.*:reset", r"stop:.*:half-close", r"stop:.*:stall",
    r"junk:.*", r"error:.*", r"http:.*", r"body:.*", r"wrong-length:.*",
)  # fmt: skip
ADAPTERS = {adapter.name: adapter for adapter in reference_adapters()}


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return [entry.scenario for entry in Catalogue.shipped().entries() if entry.scenario]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_breaks_once_in_each_way(scenarios: list[Scenario], dialect: str) -> None:
    (scenario,) = (each for each in scenarios if each.id == "any/text-and-call-interleave")
    faults = list(sampled_faults(Case(scenario, dialect)))
    assert len(faults) == len(KINDS)
    for kind in KINDS:
        assert [fault for fault in faults if re.fullmatch(kind, fault)]


def test_every_adapter_of_a_dialect_gets_the_same_faults(scenarios: list[Scenario]) -> None:
    chosen = [each for each in scenarios if "chat" in each.dialects and each.streams][::40]
    both = [
        [
            str(case)
            for each in chosen
            for case in varied(ADAPTERS[name], Case(each, "chat"), ["faults"])
        ]
        for name in ("reference-chat-vscode", "reference-chat-copilot")
    ]
    assert both[0] == both[1]
    assert len(both[0]) > len(chosen)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_has_every_listed_fault(scenarios: list[Scenario], dialect: str) -> None:
    spoken = (each for each in scenarios if dialect in each.dialects and each.streams)
    found = {
        re.sub(r"seed-\d+", "seed-1", fault)
        for each in spoken
        for fault in sampled_faults(Case(each, dialect))
    }
    assert found == {name for name, fault in FAULTS.items() if fault.applies_to(dialect)}


def test_faults_and_variations_can_be_asked_for_together() -> None:
    assert asked_variations(["faults", "crlf", "faults", "crlf+gzip"]) == [
        "faults",
        "crlf",
        "crlf+gzip",
    ]


@pytest.mark.parametrize(
    ("id_", "asked", "played"),
    [
        ("any/refusal", "unterminated-end", ["any/refusal@chat+unterminated-end"]),
        # No [DONE] is sent, after which half an event could come.
        ("any/connection-reset", "unterminated-end", []),
        ("chat/error-event-with-json", "unterminated-end", []),
        ("any/refusal", "no-done+unterminated-end", []),
    ],
)
def test_half_an_event_comes_only_after_the_closing_data(
    scenarios: list[Scenario], id_: str, asked: str, played: list[str]
) -> None:
    (scenario,) = (each for each in scenarios if each.id == id_)
    adapter = ADAPTERS["reference-chat-copilot"]
    assert list(map(str, varied(adapter, Case(scenario, "chat"), [asked]))) == played
