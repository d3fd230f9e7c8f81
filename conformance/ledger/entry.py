"""What one thing on the wire means to a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class OnTheWire(Protocol):
    """One thing sent, as the server plans it or as a transcript tells it."""

    @property
    def n(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def data(self) -> Any: ...

    @property
    def ignorable(self) -> bool: ...


class Piece(NamedTuple):
    """Content of one kind (text, reasoning, refusal), or a whole call (``call``, by its id)."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What one event adds to the answer; ``silent`` says why no part is due, where none is."""

    event: int
    adds: tuple[Piece, ...] = ()
    silent: str = ""

    def has(self, kind: str) -> bool:
        """Does the event add content of this kind?"""
        return any(piece.kind == kind for piece in self.adds)

    @property
    def calls(self) -> list[str]:
        """The ids of the calls that this event is the first to complete."""
        return [piece.value for piece in self.adds if piece.kind == "call"]
