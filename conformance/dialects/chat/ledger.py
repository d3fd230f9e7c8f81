"""The ledger of a stream of chat completions, in which all content is sent once, as increments.

A call is announced by the first fragment with its id, and completed by the finish of its choice.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.dialects.entry import BUFFERING, Entry, Fragment, OnTheWire, Piece
from mockserver.dialects.chat import chunks
from mockserver.foundation.json_fields import mapping, text

_RELEASING = frozenset({"stop", "tool_calls", "function_call"})


@dataclass
class _Choice:
    """The state of one choice: the ids of its calls, in order, and whether it has finished."""

    ids: dict[str, None] = field(default_factory=dict)
    finished: bool = False

    def call(self, fragment: Mapping[str, Any]) -> str:
        """The id in a fragment, if no earlier fragment had it; else empty."""
        id_ = text(fragment.get("id"))
        if not id_ or id_ in self.ids:
            return ""
        self.ids[id_] = None
        return id_


class Reader:
    """Reads the ledger entries of one stream."""

    def __init__(self) -> None:
        self._choices: defaultdict[int, _Choice] = defaultdict(_Choice)
        self._call_ids: dict[tuple[int, object], str] = {}
        self._ended = False

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds; each event must be given once, in order."""
        if event.ignorable:
            return Entry(event.n, silent="unknown, to be ignored")
        if self._ended:
            return Entry(event.n, silent="after the end")
        if chunks.error_in(event.data) is not None:
            self._ended = True
            return Entry(event.n, silent="upstream failed")
        announced: list[str] = []
        adds = tuple(
            piece for choice in chunks.choices(event.data) for piece in self._add(choice, announced)
        )
        silent = "" if adds else _silence_reason(event.data)
        functions = _functions([event], self._call_ids)
        fragments = tuple(Fragment(id_, text(f.get("arguments"))) for (_, id_), f in functions)
        return Entry(event.n, adds, silent, tuple(announced), (), fragments)

    def block(self, _data: Mapping[str, Any]) -> str:
        """Empty: every choice has one text."""
        return ""

    def _add(self, choice: Mapping[str, Any], announced: list[str]) -> Iterator[Piece]:
        at = chunks.index(choice)
        known = self._choices[at]
        if known.finished:
            return
        delta = mapping(choice.get("delta"))
        for kind, value in _content(delta):
            yield Piece(kind, value, choice=at)
        announced += filter(None, map(known.call, chunks.calls(delta)))
        if reason := text(choice.get("finish_reason")):
            known.finished = True
            released = known.ids if reason in _RELEASING else ()
            yield from (Piece("call", id_, choice=at) for id_ in released)


def _content(delta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The content of a delta, by kind; of several reasoning fields, the first is counted."""
    reasoning = (text(delta.get(name)) for name in chunks.REASONING_FIELDS)
    content = {
        "reasoning": next(filter(None, reasoning), ""),
        "text": text(delta.get("content")),
        "refusal": text(delta.get("refusal")),
    }
    yield from ((kind, value) for kind, value in content.items() if value)
    for name, value in chunks.pieces(delta):
        yield "reasoning" if name == "thinking" else name, value


def _silence_reason(data: Any) -> str:
    """Why a chunk adds no content."""
    listed = list(chunks.choices(data))
    if any(chunks.calls(mapping(choice.get("delta"))) for choice in listed):
        return BUFFERING
    if chunks.finish_reasons(data):
        return "finish"
    return "usage" if mapping(data).get("usage") else "lifecycle"


Key = tuple[int, str]
"""A call: the index of its choice, and its id."""


def arguments(sent: Sequence[OnTheWire]) -> Mapping[str, str]:
    """The arguments of each call in these events, as far as they were sent, by the call's id."""
    pieces: dict[str, list[str]] = {}
    for (_, id_), function in _functions(sent, {}):
        pieces.setdefault(id_, []).append(text(function.get("arguments")))
    return {id_: "".join(each) for id_, each in pieces.items()}


def calls_of_choices(sent: Sequence[OnTheWire]) -> Mapping[Key, tuple[str, str]]:
    """The name and the arguments of each call, by the index of its choice and its id."""
    found: dict[Key, tuple[str, str]] = {}
    for key, function in _functions(sent, {}):
        name, before = found.get(key, ("", ""))
        found[key] = name or text(function.get("name")), before + text(function.get("arguments"))
    return found


def _functions(
    sent: Sequence[OnTheWire], ids: dict[tuple[int, object], str]
) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    """Each fragment of a function, with its call; ``ids`` are those by choice and index so far."""
    for choice in (choice for event in sent for choice in chunks.choices(event.data)):
        at = chunks.index(choice)
        for fragment in chunks.calls(mapping(choice.get("delta"))):
            index = fragment.get("index")
            place = at, index if isinstance(index, int | str) else None
            id_ = ids[place] = text(fragment.get("id")) or ids.get(place, "")
            yield (at, id_), mapping(fragment.get("function"))
