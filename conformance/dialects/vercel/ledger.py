"""Reads the AI SDK's streams: blocks grow, and a call stands there whole when it is complete.

The three layers differ in their words only, so they are read alike, the generations of
``fullStream`` too. A call that the provider runs itself, or that the SDK has found to be invalid,
is none that anybody is asked for. A streamed call that no whole one follows is one all the same,
once its step is over: where its input was said to end, or, in the generation that has no part for
that, where nothing says that the answer was cut.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_of_source_part, link
from conformance.dialects.entry import Entry, Piece
from mockserver.call_arguments import read_arguments
from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.vercel.field_names import names
from mockserver.dialects.vercel.parts import DATA, FINISHES, UI, USUAL, V4, is_last, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.dialects.entry import OnTheWire

Part = Mapping[str, Any]

_SILENT_KINDS = {"done": "end of stream"}
_GROWING = names("text_delta", "reasoning_delta")
_PIECES = names("input_delta", of=(V4, UI, USUAL))
_CALL_IDS = names("call_id", "input_id")
_BEGINS = frozenset({"tool-call-streaming-start", "tool-input-start"})
_GROWS = frozenset({"tool-call-delta", "tool-input-delta"})
_UNENDING = "tool-call-streaming-start"
_BROKEN = frozenset({"error", "interrupted"})
_CUT = frozenset({"length", "content-filter"}) | _BROKEN
_CITATION = {"source", "source-url", "source-document"}


@dataclass
class _Streamed:
    """The input of a call on its way; where no part can end it, ``ended`` is None."""

    ended: bool | None = False
    pieces: list[str] = field(default_factory=list)

    def is_whole(self, reason: str) -> bool:
        """Is it all there, when its step is over for this reason?"""
        breaks = _BROKEN if self.ended else _CUT
        uncut = self.ended is not False and reason not in breaks
        return uncut and read_arguments("".join(self.pieces)).kind == "object"


class Reader:
    """Follows one stream from its first part to its last."""

    def __init__(self) -> None:
        self._streamed: dict[str, _Streamed] = {}
        self._made: set[str] = set()
        self._over = False

    def entry(self, event: OnTheWire) -> Entry:
        """What this event adds; events are given in order, each once."""
        if event.kind != "event":
            return Entry(event.n, silent=_SILENT_KINDS.get(event.kind, event.kind))
        if event.ignorable:
            return Entry(event.n, silent="unknown, to be ignored")
        if self._over:
            return Entry(event.n, silent="behind the end")
        self._over = is_last(event.type)
        part = mapping(event.data)
        announces = self._announced(event.type, part)
        adds = tuple(self._added(event.type, part))
        return Entry(event.n, adds, "" if adds else _why(event.type, part), announces)

    def _announced(self, type_: str, part: Part) -> tuple[str, ...]:
        """The call of which a part is the first to speak, if anybody is asked for it."""
        id_ = call_id(part)
        if type_ not in _BEGINS | _CALLS or not asked_for(part) or not id_:
            return ()
        known = id_ in self._streamed or id_ in self._made
        if type_ in _BEGINS:
            self._streamed[id_] = _Streamed(ended=None if type_ == _UNENDING else False)
        return () if known else (id_,)

    def _added(self, type_: str, part: Part) -> Iterator[Piece]:
        if type_ in _GROWS:
            self._grow(part)
        elif type_ in _CALLS:
            yield from self._call(part)
        elif type_ == "tool-input-end" and call_id(part) in self._streamed:
            self._streamed[call_id(part)].ended = True
        elif type_ in _SETTLES:
            self._streamed.pop(call_id(part), None)
        elif type_ in FINISHES:
            yield from self._left(part)
        elif type_.startswith(DATA) and "data" in part:
            yield _json(part["data"])
        elif read := _READS.get(type_):
            yield from read(part)

    def _grow(self, part: Part) -> None:
        if streamed := self._streamed.get(call_id(part)):
            streamed.pieces.append(next((text(part[n]) for n in _PIECES if n in part), ""))

    def _call(self, part: Part) -> Iterator[Piece]:
        id_ = call_id(part)
        self._streamed.pop(id_, None)
        if id_ not in self._made and asked_for(part):
            self._made.add(id_)
            yield Piece("call", id_)

    def _left(self, part: Part) -> Iterator[Piece]:
        """The calls of a step that were only streamed; the ids of the next step are its own."""
        why = reason(part)
        yield from (Piece("call", i) for i, one in self._streamed.items() if one.is_whole(why))
        self._streamed, self._made = {}, set()


def call_id(part: Part) -> str:
    """The id of the call that a part is about."""
    return next(filter(None, (text(part.get(name)) for name in _CALL_IDS)), "")


def asked_for(call: Part) -> bool:
    """Is a whole call one that a host is asked for?"""
    return not call.get("providerExecuted") and not call.get("invalid")


def _text(part: Part) -> Iterator[Piece]:
    if said := grown(part):
        yield Piece("text", said)


def _reasoning(part: Part) -> Iterator[Piece]:
    if said := grown(part):
        yield Piece("reasoning", said)


def grown(part: Part) -> str:
    """What a block grows by, under whichever name."""
    return next((said for name in _GROWING if (said := text(part.get(name)))), "")


def _source(part: Part) -> Iterator[Piece]:
    nested = mapping(part.get("source")) or part
    source = citation_of_source_part(nested)
    if source.fields():
        yield Piece("citation", link(source), source)


def _file(part: Part) -> Iterator[Piece]:
    """A file's bytes; one that is elsewhere has none here."""
    held = mapping(part.get("file")) or mapping(part.get("data")) or part
    url = text(held.get("url"))
    inline = url.partition(";base64,")[2] if url.startswith("data:") else ""
    told = (held.get("base64"), held.get("data"), inline)
    if found := next((value for value in told if isinstance(value, str) and value), ""):
        yield Piece("data", found)


def _json(value: Any) -> Piece:
    """A value as ``JSON.stringify`` has it; half of a character stays an escape."""
    told = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Piece("data", b64encode(told.encode("utf-8", "backslashreplace")).decode())


_CALLS = frozenset({"tool-call", "tool-input-available"})
# The call was invalid, or there is a result already: nobody is asked for it.
_SETTLES = frozenset({"tool-input-error", "tool-error", "tool-result", "tool-output-available"})

_READS: dict[str, Callable[[Part], Iterator[Piece]]] = {
    "text-delta": _text,
    "text": _text,
    "reasoning-delta": _reasoning,
    "reasoning": _reasoning,
    "file": _file,
    **dict.fromkeys(_CITATION, _source),
}

_WHY: Mapping[str, str] = {
    **dict.fromkeys((*_GROWS, *_BEGINS, "tool-input-end"), "buffering"),
    **dict.fromkeys(FINISHES, "finish"),
    **dict.fromkeys(["error", "tool-error", "tool-input-error"], "failure"),
    **dict.fromkeys(
        ["tool-result", "tool-output-available", "tool-output-error", "tool-output-denied"],
        "what became of a call",
    ),
    **dict.fromkeys(["tool-approval-request", "tool-approval-response"], "approval"),
    "redacted-reasoning": "sealed reasoning",
    "reasoning-signature": "sealed reasoning",
    "abort": "abort",
    "raw": "raw",
}


def _why(type_: str, part: Part) -> str:
    """Why a part is rightly silent."""
    if type_ not in _CALLS:
        return _WHY.get(type_, "lifecycle")
    if part.get("providerExecuted"):
        return "run by the provider"
    return "invalid" if part.get("invalid") else "told before"
