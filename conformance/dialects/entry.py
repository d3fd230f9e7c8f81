"""What one event of a stream adds to the answer: the entries of a ledger."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mockserver.scenario.script import Citation

BUFFERING = "buffering"
"""Why an event with a piece of a call's arguments adds nothing: the call is not complete yet."""


class OnTheWire(Protocol):
    """One event, comment or raw write, as the server plans it or a transcript records it."""

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
    """Content that an event adds to the answer.

    ``kind`` says what ``value`` is: characters of a ``text``, ``reasoning`` or ``refusal``, the id
    of a complete ``call``, the link of a ``citation`` (with its ``source``), base64 ``data``, or
    the same of a ``url_image`` or of another ``url_file``, of which the event has only the URL.
    ``choice`` is the index of the answer, if the upstream streams several at once.
    """

    kind: str
    value: str
    source: Citation | None = None
    choice: int = 0


DATA_KINDS = ("data", "url_image", "url_file")
"""The kinds of pieces that hold bytes."""


class ToolPiece(NamedTuple):
    """What an event adds to an item of one of the upstream's own tools.

    ``kind`` is ``start`` where the item begins, ``input`` for a piece of code, of a diff or of
    other input, ``end`` where that is complete, ``call`` for the complete call, ``result``,
    ``preview`` for a partial image, or ``approval`` for a request for the user's approval.
    ``tool`` is the type of the item, ``item`` its index or id. ``call_id`` is the id under which a
    host answers a complete call.
    """

    kind: str
    tool: str
    item: Any
    value: Any
    call_id: str = ""


class Fragment(NamedTuple):
    """A piece of the arguments of a call, by the call's id; empty if it is not known yet."""

    call_id: str
    value: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What the event number ``event`` adds to the answer.

    ``silent`` says why an adapter emits nothing for it: if ``adds`` is empty, or has the image that
    a tool of the upstream made, which adapters may ignore. ``announces`` are the ids of the calls
    that are mentioned for the first time, ``fragments`` the pieces of arguments in the event, and
    ``ended_items`` the ids of the calls whose items it ends.
    ``tools`` is what the event adds to the items of such tools, which may be ignored as well.
    """

    event: int
    adds: tuple[Piece, ...] = ()
    silent: str = ""
    announces: tuple[str, ...] = ()
    tools: tuple[ToolPiece, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    ended_items: tuple[str, ...] = ()

    def has(self, kind: str) -> bool:
        """Whether the event adds content of this kind."""
        return any(piece.kind == kind for piece in self.adds)

    @property
    def calls(self) -> list[str]:
        """The ids of the calls that this event completes."""
        return [piece.value for piece in self.adds if piece.kind == "call"]
