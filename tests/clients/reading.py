"""Reads a Responses stream as an SDK's user does: content as it comes, calls by output index.

Works on the objects of openai-python. They are distinguished by ``type`` and not by class, since an
unknown event arrives as an object of another event's class.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.clients.truth import KINDS, Kind, Truth

TERMINAL = ("response.completed", "response.failed", "response.incomplete")

_CONTENT: dict[str, Kind] = {
    "response.output_text": "text",
    "response.refusal": "refusal",
    "response.reasoning": "reasoning",
    "response.reasoning_summary_text": "reasoning",
}
_REASONS = {"max_output_tokens": "length", "content_filter": "content-filter"}

_Place = tuple[str, int, int]


def neutral(reason: str | None) -> str:
    """The scenario's word for a reason of an incomplete response; ``other`` for most."""
    return _REASONS.get(reason or "", "other")


@dataclass(slots=True)
class Call:
    """A call as far as it was streamed."""

    item_id: str
    call_id: str
    name: str
    arguments: str = ""
    complete: bool = False


@dataclass(slots=True)
class Reader:
    """Reads the events of one stream in order; ``last`` is the newest."""

    said: dict[Kind, str] = field(default_factory=lambda: dict.fromkeys(KINDS, ""))
    calls: dict[int, Call] = field(default_factory=dict)
    endings: list[Any] = field(default_factory=list)
    last: Any = None
    _parts: dict[_Place, str] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        self.last = event
        if event.type in TERMINAL:
            self.endings.append(event)
        stem, _, what = event.type.rpartition(".")
        if stem in _CONTENT:
            self._content(event, _CONTENT[stem], what)
        elif handle := _HANDLERS.get(event.type):
            handle(self, event)

    def _content(self, event: Any, kind: Kind, what: str) -> None:
        n = getattr(event, "summary_index", None)
        n = event.content_index if n is None else n
        place = (kind, event.output_index, n)
        before = self._parts.get(place, "")
        if what == "delta":
            new = event.delta
        else:
            whole = event.refusal if kind == "refusal" else event.text
            # Deltas may be missing, but those that were sent are a prefix of the text.
            assert before in ("", whole)
            new = whole if not before else ""
        self._parts[place] = before + new
        self.said[kind] += new

    def _added(self, event: Any) -> None:
        item = event.item
        if item is not None and item.type == "function_call":
            assert event.output_index not in self.calls
            assert item.id != item.call_id
            self.calls[event.output_index] = Call(item.id, item.call_id, item.name)

    def _arguments(self, event: Any) -> None:
        call = self.calls[event.output_index]
        assert event.item_id == call.item_id
        if event.type.endswith(".delta"):
            call.arguments += event.delta
        else:
            assert call.arguments in ("", event.arguments)
            call.arguments = event.arguments

    def _done(self, event: Any) -> None:
        item, call = event.item, self.calls.get(event.output_index)
        if call is not None:
            assert (item.id, item.call_id, item.name) == (call.item_id, call.call_id, call.name)
            assert item.arguments == call.arguments
            call.complete = item.status == "completed"


_HANDLERS: dict[str, Callable[[Reader, Any], None]] = {
    "response.output_item.added": Reader._added,
    "response.output_item.done": Reader._done,
    "response.function_call_arguments.delta": Reader._arguments,
    "response.function_call_arguments.done": Reader._arguments,
}


def expect_read(reader: Reader, truth: Truth) -> None:
    """The stream was read completely, and its content and ending are the scenario's."""
    expect_content(reader, truth)
    expect_ending(reader, truth)


def expect_content(reader: Reader, truth: Truth) -> None:
    """The stream's content and complete calls are the scenario's."""
    assert reader.said == truth.streamed
    complete = [call for call in reader.calls.values() if call.complete]
    found = {call.call_id: (call.name, json.loads(call.arguments)) for call in complete}
    assert len(found) == len(complete)
    assert found == truth.calls


def expect_ending(reader: Reader, truth: Truth) -> None:
    """The stream ended once, with its last event, and as the scenario says."""
    assert reader.endings == [reader.last]
    assert reader.last.type == f"response.{truth.content.outcome}"
    expect_response(reader.last.response, truth)


def expect_response(response: Any, truth: Truth) -> None:
    """A final response has the scenario's content, calls and outcome."""
    _expect_outcome(response, truth)
    said = {kind: "".join(_pieces(response, kind)) for kind in KINDS}
    assert {kind: said[kind] for kind in truth.final} == truth.final
    assert response.output_text == said["text"]
    calls = [
        (item.call_id, (item.name, json.loads(item.arguments)))
        for item in response.output
        if item.type == "function_call" and item.status == "completed"
    ]
    assert len(dict(calls)) == len(calls)
    assert dict(calls) == truth.calls
    _expect_ended(response)
    ids = [item.id for item in response.output]
    assert not {call_id for call_id, _ in calls} & set(ids)
    assert len(set(ids)) == len(ids)


def _expect_outcome(response: Any, truth: Truth) -> None:
    content = truth.content
    assert response.status == content.outcome
    if content.outcome == "incomplete" and content.reason:
        assert neutral(response.incomplete_details.reason) == content.reason
    if content.outcome == "failed" and content.error:
        assert content.error.message in ("", response.error.message)
        assert content.error.code in ("", response.error.code)


def _expect_ended(response: Any) -> None:
    """No item is in progress, and only the last item of an incomplete response is incomplete.

    Source: openresponses § Items. Reasoning has no status there.
    """
    known = [item for item in response.output if item.type in ("message", "function_call")]
    statuses = [item.status for item in known]
    assert set(statuses[:-1]) <= {"completed"}
    cut_short = response.status == "incomplete"
    assert set(statuses[-1:]) <= ({"completed", "incomplete"} if cut_short else {"completed"})


def _pieces(response: Any, kind: Kind) -> list[str]:
    if kind == "reasoning":
        thoughts = [item for item in response.output if item.type == "reasoning"]
        return [part.text for item in thoughts for part in [*item.summary, *(item.content or [])]]
    messages = [item for item in response.output if item.type == "message"]
    parts = [part for item in messages for part in item.content]
    if kind == "refusal":
        return [part.refusal for part in parts if part.type == "refusal"]
    return [part.text for part in parts if part.type == "output_text"]
