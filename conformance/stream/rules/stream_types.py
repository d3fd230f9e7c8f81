"""stream-types: every event has the fields that its type requires."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.findings import Defect, topics
from conformance.stream.rule import StreamRule
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema.exceptions import ValidationError

    from conformance.stream.evidence import Stream
    from conformance.transcript import SentEvent

_CONTRACT = "events/openresponses"
_SHOWN = 120
_MOST = 3


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is wrong with an event; the same is wrong with another where ``what`` is the same."""

    what: frozenset[tuple[str, str]]
    told: str


def _check(stream: Stream) -> Iterator[Defect]:
    """One defect for each thing that is wrong, however many events have it."""
    found: dict[frozenset[tuple[str, str]], list[SentEvent]] = {}
    told: dict[frozenset[tuple[str, str]], str] = {}
    for one in stream.sent:
        if one.kind == "event" and (problem := _problem(one.data)):
            found.setdefault(problem.what, []).append(one)
            told.setdefault(problem.what, problem.told)
    for what, events in found.items():
        numbers = [event.n for event in events]
        unread = stream.lost.intersection(numbers)
        lost = {"lost", *(f"unread:{n}" for n in unread)} if unread else set()
        more = f" (and in {len(events) - 1} more)" if len(events) > 1 else ""
        yield Defect(
            f"{events[0].type or 'an event without a type'}: {told[what]}{more}",
            right="the event as the schema of its type has it",
            about=topics(*(f"event:{n}" for n in numbers), *lost),
            event=numbers[0],
        )


def _problem(data: Any) -> _Problem | None:
    type_ = data.get("type") if isinstance(data, dict) else None
    errors = list(_validator(type_ if isinstance(type_, str) else "").iter_errors(data))
    if errors:
        return _Problem(frozenset(map(_what, errors)), _told(errors))
    if type_ == "error" and "error" not in data:
        flat = "'error' is a required property (only OpenAI's own types are flat)"
        return _Problem(frozenset({("$", flat)}), flat)
    return None


def _what(error: ValidationError) -> tuple[str, str]:
    """A value differs from event to event; what is missing is missing by name."""
    missing = error.message if error.validator == "required" else str(error.validator)
    return error.json_path, missing


def _told(errors: list[ValidationError]) -> str:
    by_place: dict[str, list[str]] = {}
    for error in errors:
        place = error.json_path.removeprefix("$").removeprefix(".")
        by_place.setdefault(place, []).append(error.message[:_SHOWN])
    places = [
        f"{place}: {', '.join(messages)}" if place else ", ".join(messages)
        for place, messages in by_place.items()
    ]
    more = f"; and {len(places) - _MOST} more" if len(places) > _MOST else ""
    return "; ".join(places[:_MOST]) + more


@cache
def _validator(type_: str) -> Draft202012Validator:
    """The definition of one type is a tenth of the work of the whole contract."""
    contract = schema(_CONTRACT)
    name = f"event:{type_}"
    if name not in contract["$defs"]:
        return Draft202012Validator(contract)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": contract["$defs"]})


RULE = StreamRule(
    id="stream-types",
    holds="every event has what the schema of its type requires, a sequence number always",
    source="OpenResponses § schema",
    check=_check,
)
