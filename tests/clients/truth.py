"""The content that a client must read, derived from the scenario and not from the bytes sent.

The expected content of a scenario is in the order of arrival, as is a complete chat completion,
which has no items. A final response has it by output item, so that interleaved content is in
another order there, and without unfinished items unless the response is incomplete (openresponses §
Items).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Delta, End, Says, Sends, Start
from tests.representative import Feature, covering, event_fields

Kind = Literal["text", "reasoning", "refusal"]
KINDS: tuple[Kind, ...] = ("text", "reasoning", "refusal")

ContentByKind = Mapping[Kind, str]
Calls = Mapping[str, tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Truth:
    """One legal stream and its expected content.

    ``calls`` has name and input by call id for each call that the script ends; a reader may have
    more if the wire does not say which calls ended.
    """

    scenario: Scenario
    content: ExpectedContent

    @property
    def id(self) -> str:
        return self.scenario.id

    @property
    def script(self) -> Says | Sends | Answer:
        """The script of the first attempt of the first turn."""
        return self.scenario.turns[0].attempt(1).script

    @property
    def streamed(self) -> ContentByKind:
        """The content of each kind in order of arrival."""
        segments = self.content.segments
        return {kind: "".join(a.value for a in segments if a.kind == kind) for kind in KINDS}

    @property
    def calls(self) -> Calls:
        ended = [call for call in self.content.calls if call.ended]
        calls = {call.id: (call.name, call.input) for call in ended}
        assert len(calls) == len(ended)
        return calls

    @property
    def first_choice(self) -> Truth:
        """The expected content of the first choice."""
        return replace(self, content=self.content.first_choice or self.content)

    @property
    def by_item(self) -> ContentByKind:
        """The content in order of the items; a list of events is assumed to be in that order."""
        script = self.script
        return _by_block(script) if isinstance(script, Says) else self.streamed

    @property
    def final(self) -> ContentByKind:
        """The content of the final response; empty if a list of events leaves it open."""
        if self.content.outcome != "failed":
            return self.by_item
        script = self.script
        return _by_block(script, unfinished=False) if isinstance(script, Says) else {}


def _by_block(script: Says, *, unfinished: bool = True) -> ContentByKind:
    kinds: dict[str, Kind] = {}
    values: dict[str, str] = {}
    ended: set[str] = set()
    for step in script.steps:
        if isinstance(step, Start) and step.kind != "call":
            kinds[step.block], values[step.block] = step.kind, ""
        elif isinstance(step, Delta) and step.block in values:
            values[step.block] += step.value
        elif isinstance(step, End):
            ended.add(step.block)
    kept = [block for block in kinds if unfinished or block in ended]
    return {kind: "".join(values[la] for la in kept if kinds[la] == kind) for kind in KINDS}


def _legal(dialect: str) -> dict[str, Truth]:
    found: dict[str, Truth] = {}
    for entry in Catalogue.shipped().entries():
        scenario = entry.scenario
        if scenario and scenario.is_specified and dialect in scenario.dialects:
            # Only an upstream that is not legal has several expected contents for one attempt.
            (content,) = (
                content for content in expected_contents(scenario) if content.attempt == 1
            )
            truth = Truth(scenario, content)
            found |= {} if isinstance(truth.script, Answer) else {entry.id: truth}
    return found


def few_and_others(few: Mapping[str, Truth], truths: Mapping[str, Truth]) -> pytest.MarkDecorator:
    """Parametrize a test by ``truths``: a sample, and all others, which are long to read."""
    others = [truth for id_, truth in truths.items() if id_ not in few]
    sampled = pytest.param([*few.values()], id="few")
    return pytest.mark.parametrize(
        "truths", [sampled, pytest.param(others, id="others", marks=pytest.mark.long)]
    )


def sample(dialect: str, truths: Mapping[str, Truth]) -> dict[str, Truth]:
    """A few streams that together have every field of every event type and every outcome."""
    chosen = covering({id_: _features(dialect, truth) for id_, truth in truths.items()})
    return {id_: truths[id_] for id_ in chosen}


def _features(dialect: str, truth: Truth) -> frozenset[Feature]:
    """The outcome, and each field of the events with their type."""
    ending = ("ending", truth.content.outcome, truth.content.reason)
    return frozenset((ending, *event_fields(Case(truth.scenario, dialect))))


RESPONSES: dict[str, Truth] = _legal("openresponses")
CHAT: dict[str, Truth] = _legal("chat")
GATEWAY: dict[str, Truth] = _legal("vercel-gateway")
