"""Tables that map parts to those of another generation or specification version."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from mockserver.foundation.json_fields import omit
from mockserver.wire.event import Data, Event, Step

PartMapping = Callable[[Data], list[Data]]
"""Maps a part to the parts that replace it."""

Table = Mapping[str, PartMapping]
"""Mappings by part type; parts of other types are not changed."""


def map_parts(steps: Iterable[Step], table: Table) -> Iterator[Step]:
    """The steps with each part mapped. An event whose data has no type is not a part."""
    for step in steps:
        change = table.get(step.data.get("type", "")) if isinstance(step, Event) else None
        if not isinstance(step, Event) or step.ignorable or change is None:
            yield step
        else:
            yield from (replace(step, type=data["type"], data=data) for data in change(step.data))


def drop(_part: Data) -> list[Data]:
    """A mapping to no parts, which removes the part."""
    return []


def rebuild(type_: str, names: Mapping[str, str]) -> PartMapping:
    """A mapping to a part of this type; ``names`` maps its fields to those of the old part."""
    return lambda part: [{"type": type_, **{new: part.get(old) for new, old in names.items()}}]


def copy_field(name: str, copy: str) -> PartMapping:
    """A mapping that adds a copy of a field under another name."""
    return lambda part: [{**part, copy: part[name]} if name in part else part]


def remove_fields(*names: str) -> PartMapping:
    """A mapping that removes these fields."""
    return lambda part: [omit(part, names)]
