"""Reads a chat-completions stream: everything on it is an increment, told once.

A call is announced by the first fragment that has its id. That it is complete is said by the finish
of its choice alone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.dialects.entry import Entry, Piece
from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.dialects.entry import OnTheWire

_RELEASING = frozenset({"stop", "tool_calls", "function_call"})
_SILENT_KINDS = {"done": "end of stream"}


@dataclass
class _Choice:
    """What is known of one choice: the ids of its calls, in order."""

    ids: dict[str, None] = field(default_factory=dict)
    finished: bool = False

    def call(self, fragment: Mapping[str, Any]) -> str:
        """The id of a call that a fragment is the first to name; else empty."""
        id_ = text(fragment.get("id"))
        if not id_ or id_ in self.ids:
            return ""
        self.ids[id_] = None
        return id_


class Reader:
    """Follows one stream from its first chunk to its last."""

    def __init__(self) -> None:
        self._choices: defaultdict[int, _Choice] = defaultdict(_Choice)
        self._over = False

    def entry(self, event: OnTheWire) -> Entry:
        """What this event adds; events are given in order, each once."""
        if event.kind != "event":
            return Entry(event.n, silent=_SILENT_KINDS.get(event.kind, event.kind))
        if event.ignorable:
            return Entry(event.n, silent="unknown, to be ignored")
        if self._over:
            return Entry(event.n, silent="behind the end")
        if chunks.error_in(event.data) is not None:
            self._over = True
            return Entry(event.n, silent="failure")
        announced: list[str] = []
        adds = tuple(
            piece
            for choice in chunks.choices(event.data)
            for piece in self._added(choice, announced)
        )
        silent = "" if adds else _why(event.data)
        return Entry(event.n, adds, silent, tuple(announced))

    def _added(self, choice: Mapping[str, Any], announced: list[str]) -> Iterator[Piece]:
        at = chunks.index(choice)
        known = self._choices[at]
        if known.finished:
            return
        delta = mapping(choice.get("delta"))
        for kind, value in _shown(delta):
            yield Piece(kind, value, choice=at)
        announced += filter(None, map(known.call, chunks.calls(delta)))
        if reason := text(choice.get("finish_reason")):
            known.finished = True
            released = known.ids if reason in _RELEASING else ()
            yield from (Piece("call", id_, choice=at) for id_ in released)


def _shown(delta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The content of a delta, by kind; one thought may be told in several fields."""
    thoughts = (text(delta.get(name)) for name in chunks.REASONING_FIELDS)
    told = {
        "reasoning": next(filter(None, thoughts), ""),
        "text": text(delta.get("content")),
        "refusal": text(delta.get("refusal")),
    }
    return ((kind, value) for kind, value in told.items() if value)


def _why(data: Any) -> str:
    """Why a chunk is rightly silent."""
    listed = list(chunks.choices(data))
    if any(chunks.calls(mapping(choice.get("delta"))) for choice in listed):
        return "buffering"
    if chunks.finish_reasons(data):
        return "finish"
    return "usage" if mapping(data).get("usage") else "lifecycle"
