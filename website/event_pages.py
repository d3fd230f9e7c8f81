"""Makes the reference of the events that ``sends`` can list: a list, and a page a dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from conformance.dialects import KIT
from conformance.dialects.tables import table
from mockserver.dialects import DIALECTS
from tests.events.fields import Field
from tests.events.sent import SentEvent, events_of
from website.start import anchor

_HEAD = """\
# Events

The events that `sends` of a scenario can list, by dialect. Each is written by its name, with the
fields that it gives: [a dialect's own events](../scenarios.md#a-dialects-own-events) has examples.
An editor [completes all of this](../scenarios.md#in-an-editor).
"""
_PAGE = """\
# Events in {dialect}

{about} A field with a ✓ is filled in if it is left out; `absent` takes it away. Every other field
may be given, too, and every field may have any value.

[The schema](../../../schemas/events/{dialect}.json) says what an event on the wire has to have.

"""

_TYPES = {"string": "text", "object": "mapping", "array": "list", "boolean": "true or false"}
_TABLE = "| field | value | filled in | what it is |\n| --- | --- | --- | --- |\n"
_MOST_VALUES = 30


def pages() -> dict[str, str]:
    """The list of all events, and the page of each dialect, by place."""
    of_dialects = {f"reference/events/{name}.md": page_of(name) for name in DIALECTS}
    return {"reference/events.md": _HEAD + "".join(map(_listed, DIALECTS)), **of_dialects}


def _listed(dialect: str) -> str:
    """The names of a dialect's events, each with a link."""
    place = f"events/{dialect}.md"
    groups = []
    for group, events in groupby(events_of(dialect), key=lambda event: event.group):
        names = (f"[`{each.name}`]({place}#{anchor(each.name)})" for each in events)
        groups.append(f"{group}: {', '.join(names)}.\n" if group else f"{', '.join(names)}.\n")
    return "\n".join(["", f"## In [{dialect}]({place})", "", *groups])


def page_of(dialect: str) -> str:
    objects = _Objects()
    about = table(KIT[dialect].documents.folder, "events")["about"][dialect]
    pieces = [_PAGE.format(dialect=dialect, about=about)]
    for group, events in groupby(events_of(dialect), key=lambda event: event.group):
        if group:
            pieces.append(f"## {group}\n")
        pieces += [_event(event, objects, "###" if group else "##") for event in events]
    if objects.waiting:
        pieces.append("## Objects in these events\n")
        pieces += objects.pieces()
    return "\n".join(pieces)


def _event(event: SentEvent, objects: _Objects, level: str) -> str:
    rows = "".join(
        _row(name, inner, objects, filled=name in event.filled)
        for name, inner in event.field.fields.items()
    )
    about = f"{level} {event.name}\n\n{event.field.about}.\n"
    return f"{about}\n{_TABLE}{rows}" if rows else about


def _row(name: str, inner: Field, objects: _Objects, *, filled: bool = False) -> str:
    mark = "✓" if filled else ""
    return f"| `{name}` | {_value(name, inner, objects)} | {mark} | {_cell(inner.about)} |\n"


def _value(name: str, inner: Field, objects: _Objects) -> str:
    """What a field may be, in words, with a link to the object that it has."""
    if inner.values and len(inner.values) <= _MOST_VALUES:
        return ", ".join(
            f"`{_cell(value if isinstance(value, str) else json.dumps(value))}`"
            for value in inner.values
        )
    kinds = [_TYPES.get(kind, kind) for kind in inner.types]
    words = " or ".join(kinds) or "any"
    if inner.fields:
        return f"{words}: {objects.link(name, inner)}"
    if inner.items and inner.items.fields:
        return f"{words} of {objects.link(f'{name}[]', inner.items)}"
    return words


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


@dataclass
class _Objects:
    """The objects in the fields of a dialect's events, each with a table of its own.

    ``titles`` has their titles by their fields, ``waiting`` those that are still to be written.
    """

    titles: dict[_Names, str] = field(default_factory=dict)
    waiting: list[tuple[str, Field]] = field(default_factory=list)

    def link(self, name: str, inner: Field) -> str:
        """The link to an object's table, which is written once for all fields with such objects."""
        key = _names(inner)
        if key not in self.titles:
            same = sum(title.partition(" (")[0] == name for title in self.titles.values())
            self.titles[key] = f"{name} ({same + 1})" if same else name
            self.waiting.append((self.titles[key], inner))
        title = self.titles[key]
        return f"[{title.replace('[]', '')}](#{anchor(_heading(title))})"

    def pieces(self) -> Iterator[str]:
        """The tables, with those of the objects in them."""
        while self.waiting:
            title, inner = self.waiting.pop(0)
            rows = "".join(_row(name, each, self) for name, each in inner.fields.items())
            yield f"### {_heading(title)}\n\n{_TABLE}{rows}"


def _heading(title: str) -> str:
    """The heading of an object's table, which an event of its name has not."""
    return f"{title.replace('[]', ' (entry)')} object"


_Names = tuple["tuple[str, _Names]", ...]
"""The names of the fields of an object, each with those inside of it."""


def _names(inner: Field) -> _Names:
    whole = {**inner.fields, **(inner.items.fields if inner.items else {})}
    return tuple((name, _names(each)) for name, each in sorted(whole.items()))
