"""What becomes of a part of ai 6 in another generation: the ways that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockserver.wire.steps import Data

Becomes = Callable[[Data, Mapping[str, str]], list[Data]]
"""The parts in its place; the names of tools stand in earlier parts, so they are told by id."""

Table = Mapping[str, Becomes]
"""By the type of the part; one that is not listed stays as it is."""


def gone(_part: Data, _names: Mapping[str, str]) -> list[Data]:
    return []


def renamed(names: Mapping[str, str]) -> Becomes:
    """The part with some of its fields under other names."""
    return lambda part, _names: [{names.get(name, name): value for name, value in part.items()}]


def beside(names: Mapping[str, str]) -> Becomes:
    """The part with some of its fields under other names too."""

    def both(part: Data, _names: Mapping[str, str]) -> list[Data]:
        return [{**part, **{new: part[old] for old, new in names.items() if old in part}}]

    return both


def without(*names: str) -> Becomes:
    return lambda part, _names: [{k: value for k, value in part.items() if k not in names}]
