"""Gives calls other ids where an upstream repeats an id in a later turn.

A scenario must not repeat them: a request's turn is found by its call ids.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamproof._captures.exchange import Exchange

Ids = dict[str, str]
"""Other ids, by the repeated ones."""


def other_ids(repeated: Collection[str], turn: int, taken: Collection[str]) -> Ids:
    """Ids in place of repeated ones that say in which turn they are, counted from 1."""
    found: Ids = {}
    for id_ in repeated:
        new = f"{id_}_turn{turn}"
        while new in taken:
            new += "_"
        found[id_] = new
    return found


def with_ids(exchange: Exchange, ids: Mapping[str, str]) -> Exchange:
    """An answer with other ids in its events; strings that only contain an id stay."""
    events = tuple(
        replace(event, data=_renamed(event.data, ids)) if event.kind == "event" else event
        for event in exchange.dump.events
    )
    return replace(exchange, dump=replace(exchange.dump, events=events))


def _renamed(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(inner, ids) for key, inner in value.items()}
    return [_renamed(inner, ids) for inner in value] if isinstance(value, list) else value
