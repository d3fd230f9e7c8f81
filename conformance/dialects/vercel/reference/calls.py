"""The calls of one step of a full stream: told whole, told in pieces, or both.

A `tool-call` is a whole call, and says more than all the pieces before it. Pieces without one are
a call all the same (stream-mapping § Tool Call Streaming), once nothing else can follow: when the
step is over. Until then nobody knows whether the SDK finds the input invalid, or that the provider
has run the tool itself. Which pieces are whole depends on their generation:

- `tool-input-*` has an end. What never got it was cut off, even if it parses.
- `tool-call-streaming-start` and `tool-call-delta` have none; there the finish of the step says it,
  unless it says that the answer was cut short.

Ids are the step's own affair: the next step may begin with `call_0` again, and means another call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Part
from conformance.dialects.openresponses.reference.response_state import join_surrogates
from mockserver.call_arguments import read_arguments

ENDLESS = "tool-call-delta"
"""The event whose pieces have no end of their own."""

BREAKING = frozenset({"error", "interrupted"})
"""Reasons to finish that are failures; with the others of `CUTTING` an answer is only short."""

CUTTING = frozenset({"length", "content-filter"}) | BREAKING


@dataclass(slots=True)
class Ids:
    """Ids that were given out in one response: whoever has the same again, gets another."""

    prefix: str = ""
    _given: set[str] = field(default_factory=set)

    def new(self, id_: str) -> str:
        unique, n = id_, len(self._given)
        while unique in self._given:
            unique, n = f"{id_}-{n}", n + 1
        self._given.add(unique)
        return self.prefix + unique


@dataclass(slots=True)
class Call:
    """A call on its way; `pieces` by the event that they came in, `left` once it is settled."""

    id: str
    name: str = ""
    pieces: dict[str, list[str]] = field(default_factory=dict)
    ended: bool = False
    theirs: bool = False  # the provider runs the tool itself
    left: bool = False

    def streamed(self) -> str:
        """Its input so far. Where it is told in two spellings, each of them tells all of it."""
        return join_surrogates("".join(next(iter(self.pieces.values()), ())))

    def whole_at(self, reason: str) -> bool:
        """Whether the end of its step, for this reason, shows that it was not cut off."""
        if self.ended:
            return reason not in BREAKING
        return ENDLESS in self.pieces and reason not in CUTTING


class Calls:
    """The calls of one step; `made` of them were handed on, `lost` says why others were not."""

    def __init__(self, ids: Ids) -> None:
        self.lost = ""
        self._ids = ids
        self._all: list[Call] = []
        self._by_id: dict[str, Call] = {}
        self._made: list[tuple[str, str, object]] = []

    @property
    def made(self) -> int:
        return len(self._made)

    def begin(self, id_: str, name: str, *, theirs: bool) -> None:
        known = self._by_id.get(id_)
        call = known if known and not (known.ended or known.left) else self._new(id_)
        call.name = call.name or name
        call.theirs = call.theirs or theirs

    def grow(self, id_: str, spelling: str, piece: str) -> None:
        call = self._known(id_)
        if not call.left:
            call.pieces.setdefault(spelling, []).append(piece)

    def end(self, id_: str) -> None:
        self._known(id_).ended = True

    def ran_upstream(self, id_: str) -> None:
        """Its result came from the provider, so it was never the host's to make."""
        self._known(id_).theirs = True

    def whole(self, id_: str, name: str, input_: object, *, theirs: bool) -> list[Part]:
        """What leaves now that the call was told whole; without an input, its pieces are it."""
        call = self._open(id_)
        call.name = name or call.name
        call.theirs = call.theirs or theirs
        return list(self._settle(call, call.streamed() if input_ is None else input_))

    def invalid(self, id_: str, why: str, *, theirs: bool) -> None:
        """The SDK could make no call of it. Nobody may run it, and it is lost."""
        call = self._open(id_)
        call.left = True
        if not (call.theirs or theirs):
            self.lost = self.lost or why

    def refused(self, name: str, why: str) -> None:
        """An error came in place of a call: of the first open one of that name."""
        open_ = (call for call in self._all if not call.left and name in ("", call.name))
        if call := next(open_, None):
            call.left = True
        self.lost = self.lost or why

    def over(self, reason: str) -> list[Part]:
        """The calls that were told in pieces only, now that no more of them will come."""
        parts: list[Part] = []
        for call in [call for call in self._all if not call.left]:
            if call.whole_at(reason):
                parts += self._settle(call, call.streamed())
            elif call.pieces and not call.theirs and reason not in CUTTING:
                self.lost = self.lost or f"the input of a call ({call.name!r}) never ended"
        return parts

    def _settle(self, call: Call, arguments: object) -> Iterator[Part]:
        call.left = True
        input_ = read_arguments(arguments).input
        told = (call.id, call.name, input_)
        if call.theirs or (call.id and told in self._made):
            return
        if input_ is None or not call.name:
            why = f"a call has no name ({call.name!r}) or its input is no object"
            self.lost = self.lost or why
            return
        self._made.append(told)
        call_id = self._ids.new(call.id or "call")
        yield {"type": "toolCall", "callId": call_id, "name": call.name, "input": input_}

    def _known(self, id_: str) -> Call:
        return self._by_id.get(id_) or self._new(id_)

    def _open(self, id_: str) -> Call:
        call = self._known(id_)
        return self._new(id_) if call.left else call

    def _new(self, id_: str) -> Call:
        call = self._by_id[id_] = Call(id_)
        self._all.append(call)
        return call
