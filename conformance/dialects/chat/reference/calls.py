"""Assigns fragments to calls, even if the index, the id or the name is missing or wrong.

By the protocol, `index` identifies the call, and its first fragment has its `id` and `name`. In
real streams, the index may be 0 for every call, or missing; ids and names may be repeated in every
fragment, or be late, blank or missing. So a fragment belongs to the call with its index, else to
the one with its id, else to the last one. If it contradicts that call, it begins another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.client.fields import Event, integer, object_, string
from conformance.dialects.openresponses.reference.response_state import blank

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Call:
    """A call whose fragments are collected; `id` and `name` are empty until received."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: Arguments = field(default_factory=Arguments)
    legacy: bool = False  # from `function_call`, which has no id and is one for each choice

    def add(self, fragment: _Fragment) -> None:
        self.index = fragment.index if self.index is None else self.index
        self.id = self.id or fragment.id
        if not self.name or self._continues_name(fragment):
            self.name += fragment.name
        self.arguments.add(fragment.arguments)

    def accepts(self, fragment: _Fragment) -> bool:
        """Whether a fragment can belong to this call."""
        if fragment.id and self.id:
            return fragment.id == self.id
        if not (fragment.name and self.name):
            return True
        if fragment.name != self.name:
            return self._continues_name(fragment)
        arguments = fragment.arguments
        repeats = isinstance(arguments, str) and self.arguments.may_repeat(arguments)
        return blank(arguments) or repeats or not self.arguments.complete

    def _continues_name(self, fragment: _Fragment) -> bool:
        """Whether the fragment has another piece of the name: the call has no arguments yet."""
        known = bool(self.id and not fragment.id and self.arguments.is_blank)
        return known and fragment.name != self.name


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    id: str
    name: str
    arguments: object


class Calls:
    """The calls of one choice."""

    def __init__(self) -> None:
        self._all: list[Call] = []
        self._by_index: dict[int, Call] = {}
        self._by_id: dict[str, Call] = {}
        self._last: Call | None = None

    def __iter__(self) -> Iterator[Call]:
        """The calls sorted by index; those without one keep their order."""
        return iter(sorted(self._all, key=lambda call: call.index or 0))

    def add(self, fragment_data: Event) -> Call:
        """Add a fragment to its call, and return the call."""
        function = object_(fragment_data, "function")
        index, id_ = integer(fragment_data, "index"), _id(fragment_data.get("id"))
        fragment = _Fragment(index, id_, string(function, "name"), function.get("arguments"))
        call = self._place(fragment) or self._new_call()
        call.add(fragment)
        if index is not None:
            self._by_index[index] = call
        if call.id:
            self._by_id.setdefault(call.id, call)
        # A fragment without index and id belongs to the call of the fragment before it.
        self._last = call
        return call

    def _place(self, fragment: _Fragment) -> Call | None:
        known = self._by_id.get(fragment.id) if fragment.id else None
        if fragment.index is not None:
            here = self._by_index.get(fragment.index)
            moved = known if known and (here or known.index is None) else None
            return here if here and here.accepts(fragment) else moved
        last = self._last
        return known or (last if last and last.accepts(fragment) else None)

    def _new_call(self) -> Call:
        call = Call()
        self._all.append(call)
        return call


def _id(value: object) -> str:
    """An id as text; some upstreams send numbers."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
