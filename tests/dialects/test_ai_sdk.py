"""Full streams and UI messages are those of the AI SDK, field for field, as they were recorded.

``tests/clients/test_ai_sdk_recordings.py`` checks the recordings with the SDK itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.dialects.vercel.parts import FULLSTREAM, UI, USUAL, V5, V6, V7
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.dialects.ai_sdk.recording import RELEASES, Json, normal, recorded
from tests.dialects.ai_sdk.rendering import full_stream, message
from tests.dialects.ai_sdk.situations import SITUATIONS

_FREE = frozenset(
    (
        *("input", "args", "output", "result", "error"),
        *("providerMetadata", "rawValue", "messageMetadata", "toolExecutionMs"),
    )
)

Kind = tuple[str, bool, bool]
"""The type of a part, whether the provider runs its tool, and whether it is an invalid call."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that every recorded part of a kind has, and those that some have."""

    required: frozenset[str]
    known: frozenset[str]


def kind_of(part: Json) -> Kind:
    return part["type"], bool(part.get("providerExecuted")), bool(part.get("invalid"))


def paths(part: Json, prefix: str = "") -> Iterator[str]:
    """The paths of all fields of a part."""
    for name, value in part.items():
        yield prefix + name
        if isinstance(value, dict) and name not in _FREE:
            yield from paths(value, f"{prefix}{name}.")


def fields_by_kind(parts: Iterable[Json]) -> dict[Kind, Fields]:
    found: dict[Kind, list[frozenset[str]]] = {}
    for part in parts:
        found.setdefault(kind_of(part), []).append(frozenset(paths(part)))
    return {
        kind: Fields(frozenset.intersection(*sets), frozenset.union(*sets))
        for kind, sets in found.items()
    }


RECORDED = {generation: recorded(generation) for generation in RELEASES}
MESSAGES = {name: (V6 if name in RECORDED[V6] else V7) for name in SITUATIONS}
"""The generation of each situation's message: ours are those of ai 6, and ai 7 has more chunks."""


@pytest.mark.parametrize("generation", RELEASES)
def test_each_situation_is_recorded_in_the_generations_that_have_it(generation: str) -> None:
    had = {name for name, situation in SITUATIONS.items() if generation not in situation.misses}
    assert RECORDED[generation].keys() == had


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_full_streams_and_the_message_of_a_situation_are_those_of_the_sdk(name: str) -> None:
    situation = SITUATIONS[name]
    for generation, streams in RECORDED.items():
        if name in streams:
            assert normal(full_stream(situation, generation)) == streams[name]["full"], generation
    assert normal(message(situation)) == RECORDED[MESSAGES[name]][name]["ui"]


def test_a_message_of_ai_5_differs_in_the_reason_of_an_abort() -> None:
    for name in RECORDED[V5].keys() & RECORDED[V6].keys():
        expected = [
            {"type": "abort"} if chunk["type"] == "abort" else chunk
            for chunk in RECORDED[V6][name]["ui"]
        ]
        assert RECORDED[V5][name]["ui"] == expected


def test_a_message_of_ai_7_has_one_error_for_an_invalid_call() -> None:
    for name in RECORDED[V7].keys() & RECORDED[V6].keys():
        chunks = RECORDED[V6][name]["ui"]
        invalid = {each["toolCallId"] for each in chunks if each["type"] == "tool-input-error"}
        expected = [
            chunk
            for chunk in chunks
            if chunk["type"] != "tool-output-error" or chunk["toolCallId"] not in invalid
        ]
        assert RECORDED[V7][name]["ui"] == expected


# The parts that legal scenarios send

NOT_RECORDED = {"steering-message": "an application sends it while the answer is streamed"}
"""Types that no situation has, and the reason."""

SIGNED = {"reasoning-delta": {"providerMetadata"}}
"""Fields that only Anthropic's provider has: the signature is in a delta without text."""

FULL = {
    generation: fields_by_kind(part for each in streams.values() for part in each["full"])
    for generation, streams in RECORDED.items()
}
CHUNKS = fields_by_kind(
    chunk
    for streams in RECORDED.values()
    for each in streams.values()
    for chunk in each.get("ui", ())
)


def _legal() -> Iterator[tuple[Scenario, str, Sends]]:
    """The scripts of parts that are legal in a generation that has been released."""
    for entry in Catalogue.shipped().entries():
        scenario = entry.scenario
        for dialect in (FULLSTREAM, UI):
            if scenario and scenario.is_specified and dialect in scenario.dialects:
                attempts = (attempt for turn in scenario.turns for attempt in turn.attempts)
                for script in (attempt.script for attempt in attempts):
                    if isinstance(script, Sends) and (script.generation or USUAL) in RELEASES:
                        yield scenario, dialect, script


def _parts(dialect: str, script: Sends) -> list[Json]:
    steps = DIALECTS[dialect].steps(script, 0)
    sample = DIALECTS[dialect].sample()
    events = (step for step in steps if isinstance(step, Event) and not step.ignorable)
    return [
        part
        for event in events
        if (part := fill_json(event.data, sample))["type"] not in NOT_RECORDED
    ]


LEGAL = {f"{scenario.id}@{dialect}": (dialect, script) for scenario, dialect, script in _legal()}


@pytest.mark.parametrize(("dialect", "script"), LEGAL.values(), ids=LEGAL)
def test_a_part_of_a_legal_scenario_has_the_fields_of_the_sdk(dialect: str, script: Sends) -> None:
    fields = CHUNKS if dialect == UI else FULL[script.generation or USUAL]
    for part in _parts(dialect, script):
        recorded_ = fields[kind_of(part)]
        known = recorded_.known | SIGNED.get(part["type"], set())
        assert recorded_.required <= set(paths(part)) <= known, part
        # The SDK filters empty texts.
        said = any(part.get(name) for name in ("text", "textDelta", "delta"))
        assert said or part["type"] != "text-delta", part
