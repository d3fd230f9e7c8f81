"""Mappings from a part of ai 6 to the parts of another generation of ``fullStream``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockserver.wire.event import Data

PartMapping = Callable[[Data, Mapping[str, str]], list[Data]]
"""Maps a part to the parts that replace it; takes the part, and tool names by call id."""

Table = Mapping[str, PartMapping]
"""Mappings by part type; parts of other types are not changed."""


def dropped(_part: Data, _names: Mapping[str, str]) -> list[Data]:
    """A mapping to no parts, which removes the part."""
    return []


def with_copies(names: Mapping[str, str]) -> PartMapping:
    """A mapping that copies fields; ``names`` maps fields to the names of their copies."""

    def both(part: Data, _names: Mapping[str, str]) -> list[Data]:
        return [{**part, **{new: part[old] for old, new in names.items() if old in part}}]

    return both


def without(*names: str) -> PartMapping:
    """A mapping that removes these fields."""
    return lambda part, _names: [{k: value for k, value in part.items() if k not in names}]
