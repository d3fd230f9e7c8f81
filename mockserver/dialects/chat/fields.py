"""Finds misspelt field names in the chunks of scenarios, at any depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract
from mockserver.dialects.chat.chunks import CHUNK, DELTA, ERROR, FINISH, USAGE
from mockserver.foundation.json_fields import listed, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONTRACT = "events/chat"

# Fields of the scenario format that are not fields of a choice.
OWN = {FINISH: frozenset({"reason"})}

KINDS = {CHUNK: "Chunk", DELTA: "Delta", FINISH: "Choice", USAGE: "Usage", ERROR: "Error"}

# The fields that contain an object of another kind, or an array of such objects.
_INNER = {
    "Chunk": {"choices": "Choice", "usage": "Usage"},
    "Choice": {"delta": "Delta"},
    "Delta": {"tool_calls": "Call", "function_call": "Function"},
    "Call": {"function": "Function"},
}


_Path = tuple[str | int, ...]


def misspelt(type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[_Path, str]]:
    """The path of each unknown field, at any depth, with the similar known field."""
    own = {name: value for name, value in fields.items() if name not in OWN.get(type_, ())}
    yield from _within(own, KINDS[type_])


def _within(fields: Mapping[str, Any], kind: str, path: _Path = ()) -> Iterator[tuple[_Path, str]]:
    for name, meant in contract.misspelt(fields, CONTRACT, kind):
        yield (*path, name), meant
    for name, inner in _INNER.get(kind, {}).items():
        value = fields.get(name)
        yield from _within(mapping(value), inner, (*path, name))
        for n, each in enumerate(listed(value)):
            yield from _within(mapping(each), inner, (*path, name, n))
