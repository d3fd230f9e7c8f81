"""Which call a fragment belongs to, where nothing on the wire is always there.

By the protocol `index` says it, and `id` and `name` stand in a call's first fragment. In streams
that people met, the index is 0 for every call, or missing; ids and names come again in every
fragment, come late, come blank, or never. So a fragment goes to the call with its index, else to
that with its id, else to the last one; and to none of them where the two contradict each other:
then another call has begun.
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
    """A call on its way; `id` and `name` are empty until they are told."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: Arguments = field(default_factory=Arguments)
    legacy: bool = False  # the one call of a choice, from before calls had ids

    def take(self, fragment: _Fragment) -> None:
        self.index = fragment.index if self.index is None else self.index
        self.id = self.id or fragment.id
        if not self.name or self._goes_on(fragment):
            self.name += fragment.name
        self.arguments.add(fragment.arguments)

    def fits(self, fragment: _Fragment) -> bool:
        """Could this fragment be one of this call's?"""
        if fragment.id and self.id:
            return fragment.id == self.id
        if not (fragment.name and self.name):
            return True
        if fragment.name != self.name:
            return self._goes_on(fragment)
        said = fragment.arguments
        again = isinstance(said, str) and self.arguments.retold_by(said)
        return blank(said) or again or not self.arguments.complete

    def _goes_on(self, fragment: _Fragment) -> bool:
        """Whether the name comes in pieces: there is an id, and no argument yet."""
        known = bool(self.id and not fragment.id and self.arguments.none)
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
        """By index; those without one stay as they came."""
        return iter(sorted(self._all, key=lambda call: call.index or 0))

    def take(self, told: Event) -> Call:
        """Puts a fragment to its call, and returns that."""
        function = object_(told, "function")
        index, id_ = integer(told, "index"), _id(told.get("id"))
        fragment = _Fragment(index, id_, string(function, "name"), function.get("arguments"))
        call = self._place(fragment) or self._begun()
        call.take(fragment)
        if index is not None:
            self._by_index[index] = call
        if call.id:
            self._by_id.setdefault(call.id, call)
        # What has no index and no id goes to the call that was heard of last.
        self._last = call
        return call

    def _place(self, fragment: _Fragment) -> Call | None:
        known = self._by_id.get(fragment.id) if fragment.id else None
        if fragment.index is not None:
            here = self._by_index.get(fragment.index)
            moved = known if known and (here or known.index is None) else None
            return here if here and here.fits(fragment) else moved
        last = self._last
        return known or (last if last and last.fits(fragment) else None)

    def _begun(self) -> Call:
        call = Call()
        self._all.append(call)
        return call


def _id(value: object) -> str:
    """An id as text; numbers are seen in its place."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
