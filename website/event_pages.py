"""Makes the reference of the events that ``sends`` can list: a list, and a page a dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from conformance.dialects import KIT
from conformance.dialects.tables import table
from conformance.suite.workbench import reference_adapters
from mockserver.dialects import DIALECTS
from tests.events.fields import Field
from tests.events.sent import SentEvent, events_of
from website.start import anchor
from website.words import fill

_TYPES = {"string": "text", "object": "mapping", "array": "list", "boolean": "true or false"}
_MOST_VALUES = 30


def pages() -> dict[str, str]:
    """The list of all events, and the page of each dialect, by place."""
    groups = {name: _groups(name) for name in DIALECTS}
    of_dialects = {f"reference/events/{name}.md": page_of(name) for name in DIALECTS}
    return {"reference/events.md": fill("events", dialects=groups, anchor=anchor), **of_dialects}


def _groups(dialect: str) -> list[tuple[str, list[SentEvent]]]:
    """The events of a dialect by their groups; the name of a group may be empty."""
    grouped = groupby(events_of(dialect), key=lambda event: event.group)
    return [(group, list(events)) for group, events in grouped]


def page_of(dialect: str) -> str:
    objects = _Objects()
    about = table(KIT[dialect].documents.folder, "events")["about"][dialect]
    return fill(
        "events_of_dialect",
        dialect=dialect,
        about=about,
        operations=DIALECTS[dialect].requests.operations,
        adapters=[each for each in reference_adapters() if dialect in each.dialects],
        groups=_groups(dialect),
        objects=objects.each(),
        value_of=partial(_value, objects),
    )


def _value(objects: _Objects, name: str, inner: Field) -> str:
    """What a field may be, in words, with a link to the object that it has."""
    if inner.values and len(inner.values) <= _MOST_VALUES:
        return ", ".join(
            f"`{value if isinstance(value, str) else json.dumps(value)}`" for value in inner.values
        )
    kinds = [_TYPES.get(kind, kind) for kind in inner.types]
    words = " or ".join(kinds) or "any"
    if inner.fields:
        return f"{words}: {objects.link(name, inner)}"
    if inner.items and inner.items.fields:
        return f"{words} of {objects.link(f'{name}[]', inner.items)}"
    return words


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

    def each(self) -> Iterator[tuple[str, Field]]:
        """The headings of the tables and their objects, with the objects that are in them."""
        while self.waiting:
            title, inner = self.waiting.pop(0)
            yield _heading(title), inner


def _heading(title: str) -> str:
    """The heading of an object's table, which an event of its name has not."""
    return f"{title.replace('[]', ' (entry)')} object"


_Names = tuple["tuple[str, _Names]", ...]
"""The names of the fields of an object, each with those inside of it."""


def _names(inner: Field) -> _Names:
    whole = {**inner.fields, **(inner.items.fields if inner.items else {})}
    return tuple((name, _names(each)) for name, each in sorted(whole.items()))
