"""What one thing on the wire means to a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from mockserver.scenario.model import Citation


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
    """Content of one kind (text, reasoning, refusal), or something whole.

    That is a ``call`` (its id), a ``citation`` (the link to its ``source``) or ``data`` (base64).
    Where an upstream gives several answers at once, ``choice`` is the one that it belongs to.
    """

    kind: str
    value: str
    source: Citation | None = None
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What one event adds to the answer; ``silent`` says why no part is due, where none is.

    ``announces`` are the ids of the calls that it is the first to speak of.
    """

    event: int
    adds: tuple[Piece, ...] = ()
    silent: str = ""
    announces: tuple[str, ...] = ()

    def has(self, kind: str) -> bool:
        """Does the event add content of this kind?"""
        return any(piece.kind == kind for piece in self.adds)

    @property
    def calls(self) -> list[str]:
        """The ids of the calls that this event is the first to complete."""
        return [piece.value for piece in self.adds if piece.kind == "call"]
