"""The events that ``sends`` can list, by dialect, with their fields.

A dialect's table ``events.yaml`` has the words for them; it may also have

- ``prefix``: that of the definitions of events in its schema; default ``event:``
- ``groups``: the schemas that define its events, each with a heading; default its own schema
- ``events``: instead, the definition of each event, what it is, and the path in its data to the
  object whose fields a scenario gives
- ``shorthands``: fields of a scenario that stand for those of an event
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from conformance.dialects import KIT
from conformance.dialects.tables import table
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Place
from mockserver.foundation.shipped import schema
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event
from tests.events.fields import Contract, Field

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event of a dialect, and the names of its fields that are filled in if left out.

    ``group`` is the heading under which the reference has it.
    """

    name: str
    dialect: str
    group: str
    field: Field
    filled: frozenset[str]


@cache
def events_of(dialect: str) -> tuple[SentEvent, ...]:
    """The events of a dialect, in the order of its tables."""
    words = table(KIT[dialect].documents.folder, "events")
    listed = _list_steps(dialect, words) if "events" in words else _list_types(dialect, words)
    return tuple(
        SentEvent(name, dialect, group, _add_shorthands(field, words), _find_filled(dialect, name))
        for name, group, field in listed
    )


def _list_steps(dialect: str, words: Table) -> Iterator[tuple[str, str, Field]]:
    """The events of a dialect whose steps are named after objects in their data."""
    contract = Contract(f"events/{dialect}", words["fields"])
    for name, event in words["events"].items():
        yield name, "", replace(contract.definition(event["definition"]), about=event["about"])


def _list_types(dialect: str, words: Table) -> Iterator[tuple[str, str, Field]]:
    """The events of a dialect whose steps are named after their types, which are filled in."""
    groups = words.get("groups", {f"events/{dialect}": ""})
    prefix = words.get("prefix", "event:")
    for name, group in groups.items():
        others = tuple(other for other in groups if other != name)
        contract = Contract(name, words["fields"], more=others)
        for definition in schema(name)["$defs"]:
            if definition.startswith(prefix):
                event = contract.definition(definition)
                fields = {each: inner for each, inner in event.fields.items() if each != "type"}
                type_ = definition.removeprefix(prefix)
                yield type_, group, replace(event, types=("object",), fields=fields)


def _add_shorthands(event: Field, words: Table) -> Field:
    """An event with the fields of a scenario that stand for several of its own."""
    for name, short in words.get("shorthands", {}).items():
        if given := event.fields.get(short["of"]):
            values = given.values or next(each.values for each in given.fields.values())
            added = Field(short["about"], ("string",), values)
            event = replace(event, fields={name: added, **event.fields})
    return event


def _find_filled(dialect: str, name: str) -> frozenset[str]:
    writing = DIALECTS[dialect].writing
    scripts = (
        Sends((Send(name),), (Place(""),), generation)
        for generation in ("", *writing.generations[1:])
    )
    script = next(each for each in scripts if not writing.check(each, "legal", frozenset({name})))
    (event,) = DIALECTS[dialect].steps(script, 0)
    assert isinstance(event, Event)
    steps = table(KIT[dialect].documents.folder, "events").get("events", {})
    inside: Any = event.data
    for key in steps.get(name, {}).get("inside", ()):
        inside = inside[key]
    return frozenset(inside)
