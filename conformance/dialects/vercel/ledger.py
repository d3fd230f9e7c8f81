"""The ledger of the AI SDK's streams: deltas of blocks, and complete calls.

The three dialects, and the generations of ``fullStream``, differ only in names, so one reader reads
all. Calls that the provider runs itself, and calls that the SDK found invalid, are not counted,
because a host must not make them. A call that is streamed without a complete one after it counts
when its step finishes: if its input has ended or, in ai 4, which has no part for that, if the
answer was not cut off.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.citations import citation_of_source_part, link
from conformance.dialects.entry import BUFFERING, Entry, Fragment, OnTheWire, Piece
from mockserver.dialects.vercel.field_names import names
from mockserver.dialects.vercel.parts import DATA, FINISHES, UI, USUAL, V4, is_last, reason
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text
from mockserver.wire.files import file_at

Part = Mapping[str, Any]

_DELTA_FIELDS = names("text_delta", "reasoning_delta")
_INPUT_DELTA_FIELDS = names("input_delta", of=(V4, UI, USUAL))
_CALL_IDS = names("call_id", "input_id")
_BEGINS = frozenset({"tool-call-streaming-start", "tool-input-start"})
_GROWS = frozenset({"tool-call-delta", "tool-input-delta"})
_WITHOUT_END = "tool-call-streaming-start"
_FAILED = frozenset({"error", "interrupted"})
_CUT = frozenset({"length", "content-filter"}) | _FAILED
_CITATION = {"source", "source-url", "source-document"}


@dataclass
class _Streamed:
    """The streamed input of a call; ``ended`` is None in ai 4, which has no part for its end."""

    ended: bool | None = False
    pieces: list[str] = field(default_factory=list)

    def is_complete(self, reason: str) -> bool:
        """Whether the input is complete when its step finishes for this reason."""
        breaks = _FAILED if self.ended else _CUT
        uncut = self.ended is not False and reason not in breaks
        return uncut and read_arguments("".join(self.pieces)).kind == "object"


class Reader:
    """Reads the ledger entries of one stream."""

    def __init__(self) -> None:
        self._streamed: dict[str, _Streamed] = {}
        self._emitted: set[str] = set()
        self._ended = False

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds; each event must be given once, in order."""
        if event.ignorable:
            return Entry(event.n, silent="unknown, to be ignored")
        if self._ended:
            return Entry(event.n, silent="after the end")
        self._ended = is_last(event.type)
        part = mapping(event.data)
        announces = self._announce(event.type, part)
        adds = tuple(self._add(event.type, part))
        silent = "" if adds else _silence_reason(event.type, part)
        grows = event.type in _GROWS
        fragments = (Fragment(call_id(part), _input_delta(part)),) if grows else ()
        return Entry(event.n, adds, silent, announces, (), fragments)

    def block(self, data: Part) -> str:
        """The id of the text to which a part belongs."""
        return text(data.get("id"))

    def _announce(self, type_: str, part: Part) -> tuple[str, ...]:
        """The id of the call that a part is the first to mention, if the host must make it."""
        id_ = call_id(part)
        if type_ not in _BEGINS | _CALLS or not is_for_host(part) or not id_:
            return ()
        known = id_ in self._streamed or id_ in self._emitted
        if type_ in _BEGINS:
            self._streamed[id_] = _Streamed(ended=None if type_ == _WITHOUT_END else False)
        return () if known else (id_,)

    def _add(self, type_: str, part: Part) -> Iterator[Piece]:
        if type_ in _GROWS:
            self._grow(part)
        elif type_ in _CALLS:
            yield from self._call(part)
        elif type_ == "tool-input-end" and call_id(part) in self._streamed:
            self._streamed[call_id(part)].ended = True
        elif type_ in _SETTLES:
            self._streamed.pop(call_id(part), None)
        elif type_ in FINISHES:
            yield from self._unfinished_calls(part)
        elif type_.startswith(DATA) and "data" in part:
            yield _json(part["data"])
        elif read := _READS.get(type_):
            yield from read(part)

    def _grow(self, part: Part) -> None:
        if streamed := self._streamed.get(call_id(part)):
            streamed.pieces.append(_input_delta(part))

    def _call(self, part: Part) -> Iterator[Piece]:
        id_ = call_id(part)
        self._streamed.pop(id_, None)
        if id_ not in self._emitted and is_for_host(part):
            self._emitted.add(id_)
            yield Piece("call", id_)

    def _unfinished_calls(self, part: Part) -> Iterator[Piece]:
        """The complete calls of a step that were only streamed; the next step may reuse ids."""
        why = reason(part)
        yield from (Piece("call", i) for i, one in self._streamed.items() if one.is_complete(why))
        self._streamed, self._emitted = {}, set()


def _input_delta(part: Part) -> str:
    return next((text(part[n]) for n in _INPUT_DELTA_FIELDS if n in part), "")


def call_id(part: Part) -> str:
    """The id of the call that a part is about."""
    return next(filter(None, (text(part.get(name)) for name in _CALL_IDS)), "")


def is_for_host(call: Part) -> bool:
    """Whether the host must make a call: it is valid, and the provider does not run it."""
    return not call.get("providerExecuted") and not call.get("invalid")


def _text(part: Part) -> Iterator[Piece]:
    if said := delta_text(part):
        yield Piece("text", said)


def _reasoning(part: Part) -> Iterator[Piece]:
    if said := delta_text(part):
        yield Piece("reasoning", said)


def delta_text(part: Part) -> str:
    """The text of a delta, under any of its names."""
    return next((said for name in _DELTA_FIELDS if (said := text(part.get(name)))), "")


def _source(part: Part) -> Iterator[Piece]:
    nested = mapping(part.get("source")) or part
    source = citation_of_source_part(nested)
    if source.fields():
        yield Piece("citation", link(source), source)


def _file(part: Part) -> Iterator[Piece]:
    """The bytes of a file as base64; nothing if it has only a URL, unless that is the mock's."""
    held = mapping(part.get("file")) or mapping(part.get("data")) or part
    url = text(held.get("url"))
    inline = url.partition(";base64,")[2] if url.startswith("data:") else ""
    encodings = (held.get("base64"), held.get("data"), inline)
    if found := next((value for value in encodings if isinstance(value, str) and value), ""):
        yield Piece("data", found)
    elif served := file_at(url):
        kind = "url_image" if served.media_type.startswith("image/") else "url_file"
        yield Piece(kind, b64encode(served.content).decode())


def _json(value: Any) -> Piece:
    """A value as ``JSON.stringify`` writes it, in base64; a lone surrogate stays an escape."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Piece("data", b64encode(written.encode("utf-8", "backslashreplace")).decode())


_CALLS = frozenset({"tool-call", "tool-input-available"})
# The call is invalid or has a result already, so the host must not make it.
_SETTLES = frozenset({"tool-input-error", "tool-error", "tool-result", "tool-output-available"})

_READS: dict[str, Callable[[Part], Iterator[Piece]]] = {
    "text-delta": _text,
    "text": _text,
    "reasoning-delta": _reasoning,
    "reasoning": _reasoning,
    "file": _file,
    **dict.fromkeys(_CITATION, _source),
}

_SILENCE_REASONS: Mapping[str, str] = {
    **dict.fromkeys((*_GROWS, *_BEGINS, "tool-input-end"), BUFFERING),
    **dict.fromkeys(FINISHES, "finish"),
    **dict.fromkeys(["error", "tool-error", "tool-input-error"], "upstream failed"),
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


def _silence_reason(type_: str, part: Part) -> str:
    """Why a part adds no content."""
    if type_ not in _CALLS:
        return _SILENCE_REASONS.get(type_, "lifecycle")
    if part.get("providerExecuted"):
        return "run by the provider"
    return "invalid" if part.get("invalid") else "nothing new"
