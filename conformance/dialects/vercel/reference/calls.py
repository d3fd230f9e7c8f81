"""The calls of one step of a full stream, each of which is emitted once and complete.

A `tool-call` is a complete call, and replaces the deltas before it. Deltas without one are a call
too (stream-mapping § Tool Call Streaming), but only when the answer has finished: until then, the
SDK may find the input invalid. They are complete if they are a JSON object, which no input is that
was cut off.

Ids are unique in one step only: the next step may use `call_0` again, for another call.
"""

from dataclasses import dataclass, field

from conformance.dialects.client.content import call_part, join_surrogates
from conformance.dialects.client.fields import Part
from mockserver.foundation.call_arguments import read_arguments

FAILED_REASONS = frozenset({"error", "interrupted"})
"""Finish reasons that are failures."""

CUT_REASONS = frozenset({"length", "content-filter"})
"""Finish reasons after which an answer is only short."""


@dataclass(slots=True)
class StreamedCall:
    """A call whose input is streamed; `pieces` are its deltas."""

    name: str
    pieces: list[str] = field(default_factory=list)


class Calls:
    """The calls of one step.

    `made` has the name and the input of those that were emitted, by their ids; `lost` says why one
    could not be, and is empty if none was lost.
    """

    def __init__(self, prefix: str) -> None:
        self.made: dict[str, tuple[str, object]] = {}
        self.lost = ""
        self._prefix = prefix
        self._streamed: dict[str, StreamedCall] = {}

    def begin(self, id_: str, name: str) -> None:
        self._streamed[id_] = StreamedCall(name)

    def grow(self, id_: str, piece: str) -> None:
        if call := self._streamed.get(id_):
            call.pieces.append(piece)

    def drop(self, id_: str) -> None:
        """Forget what was streamed of a call."""
        self._streamed.pop(id_, None)

    def make(self, id_: str, name: str, arguments: object) -> list[Part]:
        """The part of a complete call; none for a repetition, and if it is lost."""
        input_ = read_arguments(arguments).input
        call = (name, input_)
        if self.made.get(id_) == call:
            return []
        if input_ is None or not name or id_ in self.made:
            self.lost = f"a call ({name!r}) has no name, no object as its input, or another's id"
            return []
        self.made[id_] = call
        return [call_part(self._prefix + id_, name, input_)]

    def finish(self, reason: str) -> list[Part]:
        """The parts of the calls that were sent only as deltas, at the end of the answer."""
        if reason in CUT_REASONS | FAILED_REASONS:
            return []
        streamed = ((id_, call.name, "".join(call.pieces)) for id_, call in self._streamed.items())
        return [
            part
            for id_, name, input_ in streamed
            if input_
            for part in self.make(id_, name, join_surrogates(input_))
        ]
