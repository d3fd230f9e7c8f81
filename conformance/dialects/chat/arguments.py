"""The calls in chunks, whose fragments belong together by choice and index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from conformance.dialects.entry import OnTheWire

Key = tuple[int, str]
"""A call: the index of its choice, and its id."""


def arguments(sent: Sequence[OnTheWire]) -> Mapping[str, str]:
    """The arguments of each call in these events, as far as they were sent, by the call's id."""
    pieces: dict[str, list[str]] = {}
    for (_, id_), function in _functions(sent):
        pieces.setdefault(id_, []).append(text(function.get("arguments")))
    return {id_: "".join(each) for id_, each in pieces.items()}


def calls_of_choices(sent: Sequence[OnTheWire]) -> Mapping[Key, tuple[str, str]]:
    """The name and the arguments of each call, by the index of its choice and its id."""
    found: dict[Key, tuple[str, str]] = {}
    for key, function in _functions(sent):
        name, before = found.get(key, ("", ""))
        found[key] = name or text(function.get("name")), before + text(function.get("arguments"))
    return found


def _functions(sent: Sequence[OnTheWire]) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    """Each fragment of a function, with its call."""
    ids: dict[tuple[int, object], str] = {}
    for choice in (choice for event in sent for choice in chunks.choices(event.data)):
        at = chunks.index(choice)
        for fragment in chunks.calls(mapping(choice.get("delta"))):
            place = at, fragment.get("index")
            id_ = ids[place] = text(fragment.get("id")) or ids.get(place, "")
            yield (at, id_), mapping(fragment.get("function"))
