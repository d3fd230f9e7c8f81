"""The place of each upstream event: what it added to the answer, or why it is rightly silent.

A ledger is read from the wire alone, by dialect. It lays parts beside events in a timeline and
tells rules which event a finding is about; it judges nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mockserver.dialects.openresponses.events import ITEM_TYPES, LANES

if TYPE_CHECKING:
    from conformance.expectation.traits import Traits


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


@dataclass(frozen=True, slots=True)
class Entry:
    """What one event means to a reader: content that it adds, a call that it completes.

    ``silent`` says why no part is due, where none is.
    """

    event: int
    kind: str = ""
    value: str = ""
    call: str = ""
    silent: str = ""


def ledger(dialect: str, sent: Sequence[OnTheWire]) -> list[Entry]:
    """One entry for each thing sent, in order."""
    reader = _READERS[dialect]()
    return [reader.entry(event) for event in sent]


def shown_kinds(traits: Traits) -> list[str]:
    """The kinds of content that an adapter with these traits shows as answer text."""
    return ["text", *(kind for kind in ("reasoning", "refusal") if getattr(traits, kind) == "text")]


def text_due(entries: Sequence[Entry], traits: Traits) -> list[int]:
    """For each entry, the code points of shown text sent up to and with it."""
    columns = [offsets(entries, kind) for kind in shown_kinds(traits)]
    return [sum(counts) for counts in zip(*columns, strict=True)]


def offsets(entries: Sequence[Entry], kind: str) -> list[int]:
    """For each entry, the code points of that kind sent up to and with it."""
    total, totals = 0, []
    for entry in entries:
        total += len(entry.value) if entry.kind == kind else 0
        totals.append(total)
    return totals


_CONTENT = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.reasoning.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_summary.delta": "reasoning",
}

_WHOLE = {
    "response.output_text.done": ("text", "text", "content_index"),
    "response.refusal.done": ("refusal", "refusal", "content_index"),
    "response.reasoning.done": ("reasoning", "text", "content_index"),
    "response.reasoning_text.done": ("reasoning", "text", "content_index"),
    "response.reasoning_summary_text.done": ("reasoning", "text", "summary_index"),
    "response.reasoning_summary.done": ("reasoning", "text", "summary_index"),
}

_SILENT = {
    "lifecycle": "lifecycle",
    "item": "tracking",
    "part": "tracking",
    "text": "already emitted",
    "refusal": "already emitted",
    "reasoning": "already emitted",
    "citation": "tracking",
    "arguments": "buffering",
    "error": "failure",
}


class _OpenResponses:
    """Reads a Responses stream as rfc-00022 does, by output index."""

    def __init__(self) -> None:
        self._calls: dict[Any, Mapping[str, Any]] = {}
        self._emitted: set[str] = set()
        self._seen: set[tuple[Any, str, Any]] = set()

    def entry(self, event: OnTheWire) -> Entry:
        data = event.data if isinstance(event.data, dict) else {}
        if event.kind != "event":
            return Entry(event.n, silent=event.kind if event.kind != "done" else "end of stream")
        if event.ignorable or event.type not in LANES:
            return Entry(event.n, silent="unknown, to be ignored")
        if event.type in _CONTENT:
            return self._delta(event, data)
        if event.type in _WHOLE and (entry := self._whole(event, data)):
            return entry
        if call := self._completed(event.type, data):
            return Entry(event.n, "call", call=call)
        return Entry(event.n, silent=self._why(event.type, data))

    def _delta(self, event: OnTheWire, data: Mapping[str, Any]) -> Entry:
        kind = _CONTENT[event.type]
        index = data.get("content_index", data.get("summary_index"))
        self._seen.add((data.get("output_index"), kind, index))
        return Entry(event.n, kind, str(data.get("delta", "")))

    def _whole(self, event: OnTheWire, data: Mapping[str, Any]) -> Entry | None:
        """Content that was never streamed as deltas comes with its closing event."""
        kind, text, index = _WHOLE[event.type]
        key = (data.get("output_index"), kind, data.get(index))
        if key in self._seen:
            return None
        self._seen.add(key)
        return Entry(event.n, kind, str(data.get(text, "")))

    def _completed(self, type_: str, data: Mapping[str, Any]) -> str:
        """The id of the call that this event is the first to complete."""
        item = data.get("item")
        if isinstance(item, dict) and item.get("type") == "function_call":
            self._calls[data.get("output_index")] = item
        if type_ == "response.function_call_arguments.done":
            return self._first(self._calls.get(data.get("output_index")))
        if type_ == "response.output_item.done" and isinstance(item, dict):
            return self._first(item if item.get("type") == "function_call" else None)
        if type_ == "response.completed":
            output = (data.get("response") or {}).get("output") or []
            calls = [i for i in output if i.get("type") == "function_call"]
            return next((id_ for call in calls if (id_ := self._first(call))), "")
        return ""

    def _first(self, item: Mapping[str, Any] | None) -> str:
        if not item or item.get("status") == "incomplete":
            return ""
        call_id = str(item.get("call_id", ""))
        if call_id in self._emitted:
            return ""
        self._emitted.add(call_id)
        return call_id

    def _why(self, type_: str, data: Mapping[str, Any]) -> str:
        item = data.get("item")
        if isinstance(item, dict) and item.get("type") not in ITEM_TYPES:
            return "unknown, to be ignored"
        if type_ == "response.output_item.done" and isinstance(item, dict):
            if item.get("status") == "incomplete":
                return "cut short"
            return "already emitted" if item.get("call_id") in self._emitted else "cleanup"
        if type_ == "response.function_call_arguments.done":
            return "no announced call yet"
        return _SILENT[LANES[type_]]


_READERS: dict[str, Callable[[], _OpenResponses]] = {"openresponses": _OpenResponses}
