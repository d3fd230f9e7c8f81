"""Writes what ``schemas/scenario.json`` says about the events in ``sends``.

An editor completes and explains events, their fields and usual values from it. It forbids nothing:
a scenario may send any field with any value, on purpose. An event that several dialects have is in
it once, with the fields of all of them.

The files in ``schemas/scenarios/`` are for folders of scenarios that are named after a dialect, and
for ``vercel/``: there an editor completes only what these dialects have.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.shipped import folder
from mockserver.scenario.steps import COMMON
from tests.events.fields import Field, kinds_of
from tests.events.sent import events_of

PLACE: Path = folder("schemas") / "scenario.json"
FOLDERS = tuple(dict.fromkeys(name for each in DIALECTS for name in (each.partition("-")[0], each)))

# The generated definitions are at the end of the file, after those that are written by hand.
_BEGINNING = '    "events": {\n'
_END = "  }\n}\n"
_ID = "urn:streamproof:scenario"

# Smaller objects are written wherever they occur.
_LEAST_SHARED = 300

_Node = dict[str, Any]

# In a node, the fields that it has for each type, until they are written as alternatives.
_KINDS = "kinds"


def texts() -> dict[Path, str]:
    """The schemas as they should be: what is written by hand, and the events after it."""
    by_hand, generated, _ = PLACE.read_text("utf-8").partition(_BEGINNING)
    if not generated:
        by_hand = by_hand.removesuffix(_END).rstrip() + ",\n"
    every = {PLACE: f"{by_hand}{_generated([*DIALECTS])}{_END}"}
    for name in FOLDERS:
        dialects = [each for each in DIALECTS if name in (each, each.partition("-")[0])]
        own = by_hand.replace(_ID, f"{_ID}:{name}", 1)
        every[PLACE.parent / "scenarios" / f"{name}.json"] = f"{own}{_generated(dialects)}{_END}"
    return every


def write() -> None:
    """Write the files again."""
    for place, text in texts().items():
        write_file(place, text.encode())


def _generated(dialects: Sequence[str]) -> str:
    events = {name: _event(several, dialects) for name, several in _by_name(dialects).items()}
    shared = _Shared(Counter(_parts(events.values())))
    lines = [
        f"        {_json(name)}: {_json(shared.whole(node, name))}" for name, node in events.items()
    ]
    abouts = [node["description"] for node in events.values()]
    rest = {
        "event-names": {"enum": [*events], "enumDescriptions": abouts},
        **_names(dialects),
        **shared.definitions,
    }
    about = f"The events of {', '.join(dialects)} with their usual values; any other is allowed"
    return (
        ",\n".join(
            [
                f'{_BEGINNING}      "description": "{about}",\n      "properties": {{\n'
                + ",\n".join(lines)
                + "\n      }\n    }",
                *(f"    {_json(name)}: {_json(node)}" for name, node in rest.items()),
            ]
        )
        + "\n"
    )


def _names(dialects: Sequence[str]) -> dict[str, _Node]:
    profiles: dict[str, list[str]] = {}
    for dialect in dialects:
        for profile in DIALECTS[dialect].profiles:
            profiles.setdefault(profile.name, []).append(dialect)
    return {
        "dialect-names": {"anyOf": [{"enum": [*dialects]}, {}]},
        "profile-names": _explained({name: ", ".join(each) for name, each in profiles.items()}),
        "variation-names": _explained({name: each.about for name, each in VARIATIONS.items()}),
    }


def _explained(values: Mapping[str, str]) -> _Node:
    return {"anyOf": [{"enum": [*values], "enumDescriptions": [*values.values()]}, {}]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _by_name(dialects: Iterable[str]) -> dict[str, list[tuple[str, Field]]]:
    """The events of some dialects, each with the dialects that have it."""
    found: dict[str, list[tuple[str, Field]]] = {}
    for dialect in dialects:
        for event in events_of(dialect):
            # An event with the name of a step is written as event: {type: raw, …}.
            if event.name not in COMMON:
                found.setdefault(event.name, []).append((dialect, event.field))
    return found


def _event(several: Sequence[tuple[str, Field]], dialects: Sequence[str]) -> _Node:
    abouts = _abouts(several)
    words = [f"{about} ({', '.join(those)})" for about, those in abouts.items()]
    about = "; ".join(words if len(dialects) > 1 else abouts)
    return {**_node(several), "description": about, "type": ["object", "null"]}


def _node(several: Sequence[tuple[str, Field]]) -> _Node:
    values = dict.fromkeys(value for _, each in several for value in each.values)
    types = {type_ for _, each in several for type_ in each.types}
    names = dict.fromkeys(name for _, each in several for name in each.fields)
    items = [(dialect, each.items) for dialect, each in several if each.items]
    return {
        **({"description": about} if (about := _about(several)) else {}),
        **(_values(several, [*values]) if values else {}),
        **(_scalar(types) if not values and not names and not items else {}),
        **({"properties": {name: _inner(several, name) for name in names}} if names else {}),
        **({_KINDS: kinds} if len(kinds := kinds_of(each for _, each in several)) > 1 else {}),
        **({"items": _node(items)} if items else {}),
    }


def _scalar(types: Set[str]) -> _Node:
    """A field that is usually a text, a number or a flag: an editor writes the colon after it."""
    usual = next((each for each in ("string", "integer", "number", "boolean") if each in types), "")
    return {"anyOf": [{"type": usual}, {}]} if usual else {}


def _values(several: Sequence[tuple[str, Field]], values: list[str]) -> _Node:
    """The usual values of a field; where dialects have different ones, with their names."""
    whose = {
        value: ", ".join(dialect for dialect, each in several if value in each.values)
        for value in values
    }
    if len({*whose.values()}) > 1:
        return _explained(whose)
    return {"anyOf": [{"enum": values}, {}]}


def _inner(several: Sequence[tuple[str, Field]], name: str) -> _Node:
    return _node([(dialect, each.fields[name]) for dialect, each in several if name in each.fields])


def _about(several: Sequence[tuple[str, Field]]) -> str:
    """What a field is; where dialects differ, with their names."""
    abouts = _abouts(several)
    if len(abouts) == 1:
        return next(iter(abouts))
    return "; ".join(f"{about} ({', '.join(dialects)})" for about, dialects in abouts.items())


def _abouts(several: Sequence[tuple[str, Field]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for dialect, each in several:
        found.setdefault(each.about, []).append(dialect)
    return found


def _parts(nodes: Iterable[_Node]) -> Iterator[str]:
    """Every object in the fields of events, as JSON without its description."""
    for node in nodes:
        for inner in _inside(node):
            yield _json(_undescribed(inner))
            yield from _parts([inner])


def _inside(node: _Node) -> Iterator[_Node]:
    yield from node.get("properties", {}).values()
    if "items" in node:
        yield node["items"]


def _undescribed(node: _Node) -> _Node:
    return {key: value for key, value in node.items() if key != "description"}


def _by_type(node: _Node, kinds: Mapping[str, Sequence[str]]) -> _Node:
    """A node whose fields are those of its type, where it says one, and else those of all types."""
    named = node["properties"]
    own = {name for names in kinds.values() for name in names} - {"type"}
    alternatives = [
        {
            "if": {"properties": {"type": {"const": kind}}},
            "then": {"properties": {name: named[name] for name in names if name in own}},
        }
        for kind, names in kinds.items()
    ]
    return {
        **node,
        "properties": {name: inner for name, inner in named.items() if name not in own},
        "if": {"required": ["type"]},
        "then": {"allOf": alternatives},
        "else": {"properties": {name: inner for name, inner in named.items() if name in own}},
    }


@dataclass
class _Shared:
    """Writes nodes with references to those that occur several times, and collects these."""

    counts: Counter[str]
    definitions: dict[str, _Node] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def whole(self, node: _Node, name: str) -> _Node:
        """A node, the field of this name, in which repeated ones are references."""
        result = dict(node)
        if "properties" in node:
            named = node["properties"].items()
            result["properties"] = {each: self.node(inner, each) for each, inner in named}
        if kinds := result.pop(_KINDS, None):
            result = _by_type(result, kinds)
        if "items" in node:
            result["items"] = self.node(node["items"], name)
        return result

    def node(self, node: _Node, name: str) -> _Node:
        plain = _undescribed(node)
        written = _json(plain)
        if self.counts[written] < 2 or len(written) < _LEAST_SHARED:
            return self.whole(node, name)
        if written not in self.names:
            self.names[written] = self._free(f"sent:{name}")
            self.definitions[self.names[written]] = {}  # its place is before those inside it
            self.definitions[self.names[written]] = self.whole(plain, name)
        about = {"description": node["description"]} if "description" in node else {}
        return {**about, "$ref": f"#/$defs/{self.names[written]}"}

    def _free(self, name: str) -> str:
        taken = sum(each.partition(".")[0] == name for each in self.definitions)
        return f"{name}.{taken + 1}" if taken else name
