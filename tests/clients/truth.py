"""What a client must have read: drawn from the scenario alone, never from what was sent.

A scenario's story tells content in the order in which it arrives, and so does a whole chat
completion, which has no items. A final response tells the same by output item, so that content of
items that interleave stands in another order there; and it has no item that never ended, unless the
response says that it is incomplete (openresponses § Items).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from mockserver.render import Case
from mockserver.scenario.catalogue import Catalogue
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Delta, End, Says, Sends, Start
from tests.representative import Feature, covering, event_fields

Kind = Literal["text", "reasoning", "refusal"]
KINDS: tuple[Kind, ...] = ("text", "reasoning", "refusal")

Said = Mapping[Kind, str]
Calls = Mapping[str, tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Truth:
    """One legal stream and its story.

    ``calls`` are name and input by call id, of those that the script ends; where nothing on the
    wire says that one did, a reader may have made more of them.
    """

    scenario: Scenario
    story: ExpectedContent

    @property
    def id(self) -> str:
        return self.scenario.id

    @property
    def script(self) -> Says | Sends | Answer:
        """What a client gets that makes its request once."""
        return self.scenario.turns[0].attempt(1).script

    @property
    def streamed(self) -> Said:
        """The content of each kind in order of arrival."""
        atoms = self.story.segments
        return {kind: "".join(a.value for a in atoms if a.kind == kind) for kind in KINDS}

    @property
    def calls(self) -> Calls:
        ended = [call for call in self.story.calls if call.ended]
        calls = {call.id: (call.name, call.input) for call in ended}
        assert len(calls) == len(ended)
        return calls

    @property
    def first_choice(self) -> Truth:
        """What the first of several choices tells."""
        return replace(self, story=self.story.first_choice or self.story)

    @property
    def by_item(self) -> Said:
        """The content in order of the items; a list of events is taken to be in that order."""
        script = self.script
        return _lanes(script) if isinstance(script, Says) else self.streamed

    @property
    def final(self) -> Said:
        """What the final response holds; empty where a list of events leaves that open."""
        if self.story.outcome != "failed":
            return self.by_item
        script = self.script
        return _lanes(script, unfinished=False) if isinstance(script, Says) else {}


def _lanes(script: Says, *, unfinished: bool = True) -> Said:
    """The content of each kind, lanes in the order in which they opened."""
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
    kept = [lane for lane in kinds if unfinished or lane in ended]
    return {kind: "".join(values[la] for la in kept if kinds[la] == kind) for kind in KINDS}


def _legal(dialect: str) -> dict[str, Truth]:
    found: dict[str, Truth] = {}
    for entry in Catalogue.shipped().entries():
        scenario = entry.scenario
        if scenario and scenario.conduct == "legal" and dialect in scenario.dialects:
            # Several stories of an attempt would be right only where the upstream is not legal.
            (story,) = (story for story in expected_contents(scenario) if story.attempt == 1)
            truth = Truth(scenario, story)
            found |= {} if isinstance(truth.script, Answer) else {entry.id: truth}
    return found


def sample(dialect: str, truths: Mapping[str, Truth]) -> dict[str, Truth]:
    """A few of these streams that hold every field of every type of event and every outcome."""
    chosen = covering({id_: _features(dialect, truth) for id_, truth in truths.items()})
    return {id_: truths[id_] for id_ in chosen}


def _features(dialect: str, truth: Truth) -> frozenset[Feature]:
    """The outcome, and each field of the events with their type."""
    ending = ("ending", truth.story.outcome, truth.story.reason)
    return frozenset((ending, *event_fields(Case(truth.scenario, dialect))))


RESPONSES: dict[str, Truth] = _legal("openresponses")
CHAT: dict[str, Truth] = _legal("chat")
GATEWAY: dict[str, Truth] = _legal("vercel-gateway")
