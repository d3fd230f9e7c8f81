"""The state of one step of a full stream: its calls, and its open blocks of text and reasoning.

A `tool-call` is a complete call, and replaces the deltas before it. Deltas without one are a call
too (stream-mapping § Tool Call Streaming), but only when the step is finished: until then, the SDK
may find the input invalid, or the provider may run the tool itself. Whether deltas are complete
depends on the generation:

- `tool-input-*` has an end part. An input without one was cut off, even if it parses.
- `tool-call-streaming-start` and `tool-call-delta` (ai 4) have none; they are complete unless the
  finish of the step says that the answer was cut off.

Ids are unique in one step only: the next step may use `call_0` again, for another call.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.dialects.client.content import EmittedText, call_part, join_surrogates
from conformance.dialects.client.fields import Event, Part
from mockserver.foundation.call_arguments import read_arguments

WITHOUT_END = "tool-call-delta"
"""The type of deltas that no end part follows (ai 4)."""

FAILED_REASONS = frozenset({"error", "interrupted"})
"""Finish reasons that are failures; after the others of `CUT_REASONS` an answer is only short."""

CUT_REASONS = frozenset({"length", "content-filter"}) | FAILED_REASONS


@dataclass(slots=True)
class Ids:
    """Unique ids in one response: an id that is used again gets a number."""

    prefix: str = ""
    _used: set[str] = field(default_factory=set)

    def new(self, id_: str) -> str:
        unique, n = id_, len(self._used)
        while unique in self._used:
            unique, n = f"{id_}-{n}", n + 1
        self._used.add(unique)
        return self.prefix + unique


@dataclass(slots=True)
class Call:
    """A call that is collected.

    `pieces` are its deltas, by type of part; `settled` says that it was emitted or dropped.
    """

    id: str
    name: str = ""
    pieces: dict[str, list[str]] = field(default_factory=dict)
    ended: bool = False
    provider_executed: bool = False  # the provider runs the tool itself
    settled: bool = False

    def streamed(self) -> str:
        """The joined deltas, of the first type only: a stream may repeat them in another type."""
        return join_surrogates("".join(next(iter(self.pieces.values()), ())))

    def is_complete(self, reason: str) -> bool:
        """Whether its deltas are complete when its step finishes for this reason."""
        if self.ended:
            return reason not in FAILED_REASONS
        return WITHOUT_END in self.pieces and reason not in CUT_REASONS


class Calls:
    """The calls of one step.

    `made` is how many were emitted; `lost` says why a call could not be, and is empty if none was
    lost.
    """

    def __init__(self, ids: Ids) -> None:
        self.lost = ""
        self._ids = ids
        self._all: list[Call] = []
        self._by_id: dict[str, Call] = {}
        self._made: list[tuple[str, str, object]] = []

    @property
    def made(self) -> int:
        return len(self._made)

    def begin(self, id_: str, name: str, *, provider_executed: bool) -> None:
        call = self._new(id_)
        call.name, call.provider_executed = name, provider_executed

    def grow(self, id_: str, spelling: str, piece: str) -> None:
        call = self._known(id_)
        if not call.settled:
            call.pieces.setdefault(spelling, []).append(piece)

    def end(self, id_: str) -> None:
        self._known(id_).ended = True

    def complete(
        self, id_: str, name: str, input_: object, *, provider_executed: bool
    ) -> list[Part]:
        """The part of a complete call; without an input, its joined deltas are the input."""
        call = self._open(id_)
        call.name = name or call.name
        call.provider_executed = call.provider_executed or provider_executed
        return list(self._settle(call, call.streamed() if input_ is None else input_))

    def invalid(self, id_: str, why: str, *, provider_executed: bool) -> None:
        """Drop a call that the SDK found invalid; it counts as lost unless the provider runs it."""
        call = self._open(id_)
        call.settled = True
        if not (call.provider_executed or provider_executed):
            self.lost = self.lost or why

    def reject(self, why: str) -> None:
        """Drop the first open call, for which an error was sent instead."""
        open_ = (call for call in self._all if not call.settled)
        if call := next(open_, None):
            call.settled = True
        self.lost = self.lost or why

    def finish_step(self, reason: str) -> list[Part]:
        """The parts of the calls that were sent only as deltas, at the end of the step."""
        parts: list[Part] = []
        for call in [call for call in self._all if not call.settled]:
            if call.is_complete(reason):
                parts += self._settle(call, call.streamed())
            elif call.pieces and not call.provider_executed and reason not in CUT_REASONS:
                self.lost = self.lost or f"the input of a call ({call.name!r}) never ended"
        return parts

    def _settle(self, call: Call, arguments: object) -> Iterator[Part]:
        call.settled = True
        input_ = read_arguments(arguments).input
        made = (call.id, call.name, input_)
        if call.provider_executed or (call.id and made in self._made):
            return
        if input_ is None or not call.name:
            why = f"a call has no name ({call.name!r}) or its input is no object"
            self.lost = self.lost or why
            return
        self._made.append(made)
        yield call_part(self._ids.new(call.id or "call"), call.name, input_)

    def _known(self, id_: str) -> Call:
        return self._by_id.get(id_) or self._new(id_)

    def _open(self, id_: str) -> Call:
        call = self._known(id_)
        return self._new(id_) if call.settled else call

    def _new(self, id_: str) -> Call:
        call = self._by_id[id_] = Call(id_)
        self._all.append(call)
        return call


@dataclass(slots=True)
class ReasoningBlock:
    """A block of reasoning; `metadata` is the provider's metadata that was not emitted yet."""

    id: str = ""
    emitted: EmittedText = field(default_factory=EmittedText)
    metadata: Event = field(default_factory=dict)

    def take_metadata(self) -> Event:
        """Return the metadata and clear it."""
        metadata, self.metadata = self.metadata, {}
        return metadata


@dataclass(slots=True)
class Step:
    """One call of the model; the ids of its blocks and calls may be used again in the next step."""

    calls: Calls
    reasoning_ids: Ids
    texts: defaultdict[str, EmittedText] = field(default_factory=lambda: defaultdict(EmittedText))
    reasoning_blocks: dict[str, ReasoningBlock] = field(default_factory=dict)
    finished: bool = False
    reason: str = ""

    def reasoning(self, id_: str) -> ReasoningBlock:
        """The open block with this id, or a new one; some streams never send its start."""
        if id_ not in self.reasoning_blocks:
            self.reasoning_blocks[id_] = ReasoningBlock(self.reasoning_ids.new(id_))
        return self.reasoning_blocks[id_]
