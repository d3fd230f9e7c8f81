"""Cases with OpenAI's own tools, their correct parts, and changes of single parts."""

from collections.abc import Callable, Mapping
from typing import Any

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Request, Transcript
from conformance.dialects.recording import recorded_turn
from conformance.rules.judge import judge_case
from mockserver.cases.case import Case
from tests.reference.openai_events import machine, play
from tests.rules import made_runs

Json = dict[str, Any]
Parts = list[Json]
Change = Callable[[Parts], Parts]

CODE = 'print("é\\n😀")\n'
DIFF = "@@\n-s = '\\t'\n+s = \"42 😀\"\n"
EMITS = Traits(annotations="data", errors="part", hosted_tools="emitted")
MAY_IGNORE = Traits(annotations="data", errors="part")
COMPLETED = End(9.0, "completed")


def case_of(*turns: list[Json]) -> Case:
    says: list[Json] = [{"says": steps} for steps in turns]
    for each in says[:-1]:
        each["then"] = {"user": "Go on."}
    return _case(says)


def sends(*events: Json, expect: list[Json]) -> Case:
    """A case of one turn that sends these events."""
    turn = {"sends": list(events), "expect": {"parts": expect}}
    return _case([turn])


def _case(turns: list[Json]) -> Case:
    value = {"title": "Hosted", "profile": "openai", "turns": turns}
    return made_runs.case_of(value, id_="openresponses/x")


def events_of(case: Case, turn: int = 0) -> list[Json]:
    found = (event.data for event in recorded_turn(case, turn).events)
    return [data for data in found if isinstance(data, dict)]


def correct(case: Case, turn: int = 0, **options: Any) -> Parts:
    """The parts of the reference adapter for a turn."""
    return play(events_of(case, turn), machine(**options))[0]


def transcript(
    case: Case,
    parts: Parts,
    vocabulary: str = "stream",
    before: tuple[Transcript, ...] = (),
    body: Mapping[str, Any] | None = None,
) -> Transcript:
    turn = len(before)
    sent = recorded_turn(case, turn).events
    request = Request(1, 0.0, "POST", "/r/x/v1/responses", 200, turn, body=body, events=sent)
    return made_runs.run_of(case, parts, COMPLETED, request, vocabulary, turn=turn, before=before)


def findings(case: Case, of: Transcript, traits: Traits = EMITS) -> list[tuple[str, str]]:
    return [(each.rule, each.level) for each in judge_case(case, of, traits)]


def matches(part: Json, type_: str, id_: str) -> bool:
    return part["type"] == type_ and id_ in (part.get("id"), part.get("toolCallId"))


def changed(type_: str, id_: str, **fields: Any) -> Change:
    """Give the parts of a type and an id these fields."""
    return lambda parts: [{**p, **fields} if matches(p, type_, id_) else p for p in parts]


def without(*unwanted: tuple[str, str]) -> Change:
    return lambda parts: [p for p in parts if not any(matches(p, *each) for each in unwanted)]


def without_field(type_: str, id_: str, name: str) -> Change:
    def change(parts: Parts) -> Parts:
        less = [{n: v for n, v in part.items() if n != name} for part in parts]
        pairs = zip(parts, less, strict=True)
        return [other if matches(part, type_, id_) else part for part, other in pairs]

    return change


def replaced(old: str, new: str, *types: str) -> Change:
    """Replace a text in the JSON of the parts of these types."""

    def change(parts: Parts) -> Parts:
        return [_replaced(part, old, new) if part["type"] in types else part for part in parts]

    return change


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {name: _replaced(each, old, new) for name, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, old, new) for each in value]
    return value.replace(old, new) if isinstance(value, str) else value
