"""The schemas of scenarios have every event with its fields, explain them, and forbid nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.dialects.openresponses.events import is_extension
from mockserver.foundation.schemas import accepts, validator
from mockserver.foundation.shipped import schema
from mockserver.scenario.script import Send, Sends
from mockserver.scenario.steps import COMMON
from mockserver.scenario.turns import scripts
from tests.events.fields import Field
from tests.events.scenario_schema import FOLDERS, PLACE, texts
from tests.events.sent import SentEvent, events_of

_AGAIN = 'python -c "from tests.events.scenario_schema import write; write()"'

EVENTS = [event for dialect in DIALECTS for event in events_of(dialect)]
WRITTEN: dict[str, Any] = schema("scenario")["$defs"]["events"]["properties"]
ANYTHING: tuple[Any, ...] = (None, True, 5, "x", [], [5], {}, {"x": 5})


_HARMLESS = {"description", "type", "anyOf", "properties", "items", "$ref"}
SCHEMAS = ("scenario", *(f"scenarios/{name}" for name in FOLDERS))


def test_the_schemas_have_the_events_as_they_are() -> None:
    for place, text in texts().items():
        assert place.read_text("utf-8") == text, f"write it again: {_AGAIN}"
    written = {place.stem for place in (PLACE.parent / "scenarios").iterdir()}
    assert written == {*FOLDERS}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_schema_of_a_dialect_has_its_events_and_no_others(dialect: str) -> None:
    events = schema(f"scenarios/{dialect}")["$defs"]["event-names"]["enum"]
    assert {*events} == {event.name for event in events_of(dialect)} - COMMON.keys()


def test_every_event_is_in_the_schema_with_all_of_its_fields() -> None:
    for event in EVENTS:
        if event.name not in COMMON:
            assert event.field.fields.keys() <= WRITTEN[event.name].get("properties", {}).keys()


def test_every_event_that_a_shipped_scenario_sends_is_known() -> None:
    known = {event.name for event in EVENTS}
    sent = 0
    for entry in Catalogue.shipped().entries():
        for _, script in scripts(entry.scenario.turns) if entry.scenario else ():
            for step in script.steps if isinstance(script, Sends) else ():
                if isinstance(step, Send) and step.known and not step.type.startswith("data-"):
                    assert step.type in known or is_extension(step.type), entry.id
                    sent += 1
    assert sent > 1000


def fields(inside: Field, path: str) -> Iterator[tuple[str, Field]]:
    for name, field in inside.fields.items():
        yield f"{path}.{name}", field
        yield from fields(field, f"{path}.{name}")
    if inside.items:
        yield from fields(inside.items, f"{path}[]")


def keys(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The keys that the schema names at any depth, with what it says of each."""
    if isinstance(node, list):
        for each in node:
            yield from keys(each, path)
    elif isinstance(node, dict):
        for name, value in node.items():
            inner = value if name == "properties" and isinstance(value, dict) else {}
            yield from ((f"{path}.{key}", about) for key, about in inner.items())
            if name != "if":
                yield from keys(value, f"{path}.{name}")


def is_explained(name: str, about: Any) -> bool:
    while isinstance(about, dict) and "description" not in about and "$ref" in about:
        about = schema(name)["$defs"][about["$ref"].rpartition("/")[2]]
    return not isinstance(about, dict) or "description" in about


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_of_a_scenario_is_explained(name: str) -> None:
    found = dict(keys(schema(name)))
    assert len(found) > 200
    assert [path for path, about in found.items() if not is_explained(name, about)] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_value_is_explained_where_others_are(name: str) -> None:
    waiting: list[Any] = [schema(name)]
    found = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            if abouts := node.get("enumDescriptions"):
                assert len(abouts) == len(node["enum"])
                assert all(abouts)
                found += 1
    assert found > 2


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_event_and_every_field_is_explained(dialect: str) -> None:
    for event in events_of(dialect):
        assert event.field.about, event.name
        assert [path for path, field in fields(event.field, event.name) if not field.about] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_any_field_of_an_event_may_have_any_value(name: str) -> None:
    scenario = validator(name)
    for event in EVENTS:
        if event.name not in COMMON:
            for value in ANYTHING:
                given = dict.fromkeys([*event.field.fields, "unheard_of"], value)
                turns = [{"sends": [{event.name: given}]}]
                assert accepts(scenario, {"title": "Any", "turns": turns}), (event.name, value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_the_schema_says_of_fields_cannot_be_broken(name: str) -> None:
    definitions = schema(name)["$defs"]
    waiting = [node for each, node in definitions.items() if each.startswith("sent:")]
    waiting += definitions["events"]["properties"].values()
    assert waiting
    while waiting:
        node = waiting.pop()
        assert node.get("type", ["object", "null"]) == ["object", "null"], node
        assert {} in node.get("anyOf", [{}]), node
        if "if" in node:
            # Fields by type: a condition forbids nothing, and its branches are looked at, too.
            assert node["if"] == {"required": ["type"]}
            waiting += [node["else"], *(each["then"] for each in node["then"]["allOf"])]
        assert node.keys() - {"if", "then", "else"} <= _HARMLESS
        waiting += [
            *node.get("properties", {}).values(),
            *([node["items"]] if "items" in node else []),
        ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_field_that_is_filled_in_is_one_that_is_explained(dialect: str) -> None:
    def unexplained(event: SentEvent) -> frozenset[str]:
        return event.filled - event.field.fields.keys() - {"type"}

    assert {
        event.name: unexplained(event) for event in events_of(dialect) if unexplained(event)
    } == {}
