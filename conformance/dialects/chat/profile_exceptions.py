"""Undoes the exceptions of the upstreams that stream chat completions.

Each function rewrites one deviation, and nothing else, to what the specification has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.profile_exception import Json, Undo, change_each, rewrite
from mockserver.dialects.chat import chunks
from mockserver.foundation.json_fields import integer, listed, mapping, omit, text

_OBJECT = "chat.completion.chunk"
_UNKNOWN = "unknown"
# Seconds; the longest time that one answer may take to stream.
_LONGEST = 3600


def _is_chunk(event: SentEvent) -> bool:
    """Whether an event has a list of choices, which may be empty, and no error."""
    data = mapping(event.data) if event.kind == "event" else {}
    return isinstance(data.get("choices"), list) and chunks.error_in(data) is None


def _chunks(events: Sequence[SentEvent]) -> list[SentEvent]:
    return [event for event in events if _is_chunk(event)]


def in_chunks(change: Callable[[Json], Json]) -> Undo:
    """An undo that applies ``change`` to each chunk."""

    def undo(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
        return [rewrite(event, change) if _is_chunk(event) else event for event in events]

    return undo


@dataclass(frozen=True, slots=True)
class _Envelope:
    """The id and time of the first chunk with a choice and an id, and the model."""

    id: str
    created: int
    model: str

    @classmethod
    def of(cls, events: Sequence[SentEvent]) -> _Envelope | None:
        for event in _chunks(events):
            data = event.data
            id_, created = text(data.get("id")), integer(data.get("created"))
            if data["choices"] and id_ and created is not None:
                return cls(id_, created, _model(events))
        return None


def _model(events: Sequence[SentEvent]) -> str:
    """The model of the first chunk that has one."""
    return next(filter(None, (text(e.data.get("model")) for e in _chunks(events))), _UNKNOWN)


def _has_empty_envelope(data: Json) -> bool:
    """Whether id, object and model are empty and the time is 0."""
    blank = all(data.get(name, "") == "" for name in ("object", "model"))
    return blank and data.get("id") == "" and data.get("created") == 0


def _enveloped(data: Json, envelope: _Envelope) -> Json:
    """The chunk with the completion's id, time, model and object; missing fields stay missing."""
    right = {
        "id": envelope.id,
        "created": envelope.created,
        "model": envelope.model,
        "object": _OBJECT,
    }
    return {**data, **{name: value for name, value in right.items() if name in data}}


def fill_envelope(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo the empty envelope of the first chunk, which reports the filters of the prompt."""
    envelope = _Envelope.of(events)
    first = next(iter(_chunks(events)), None)
    if envelope is None or first is None or not _has_prompt_filters(first.data):
        return events
    named = replace(first, data=_enveloped(first.data, envelope))
    return [named if event is first else event for event in events]


def _has_prompt_filters(data: Json) -> bool:
    has_results = isinstance(data.get("prompt_filter_results"), list)
    return has_results and data.get("choices") == [] and _has_empty_envelope(data)


def filter_packets(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo chunks with an empty envelope whose choices report filter results only.

    Such choices are removed, unless they have a finish reason.
    """
    envelope = _Envelope.of(events)

    def unpacked(data: Json) -> Json:
        before = data["choices"]
        if (
            envelope is None
            or not before
            or not _has_empty_envelope(data)
            or not all(map(_is_packet, before))
        ):
            return data
        finished = [{**choice, "delta": {}} for choice in before if choice.get("finish_reason")]
        return {**_enveloped(data, envelope), "choices": finished}

    return in_chunks(unpacked)(events)


def _is_packet(choice: Any) -> bool:
    filters = isinstance(mapping(choice).get("content_filter_results"), dict)
    return filters and "delta" not in choice


def fill_object(data: Json) -> Json:
    """Undo a missing ``object``."""
    return data if "object" in data else {**data, "object": _OBJECT}


def fill_model(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo missing models: fill in that of the first chunk that has one."""
    model = _model(events)
    return in_chunks(lambda data: data if "model" in data else {**data, "model": model})(events)


_NOTED = frozenset({"CodeVulnerability", "IPCodeCitations"})


def drop_annotations(choice: Json) -> Json:
    """Remove ``annotations`` from a delta, if it is an object equal to ``copilot_annotations``."""
    delta = mapping(choice.get("delta"))
    noted = delta.get("annotations")
    if not isinstance(noted, dict) or not _are_annotations(noted):
        return choice
    if delta.get("copilot_annotations") != noted:
        return choice
    kept = {name: value for name, value in delta.items() if name != "annotations"}
    return {**choice, "delta": kept}


def _are_annotations(noted: Json) -> bool:
    return noted.keys() <= _NOTED and all(isinstance(each, list) for each in noted.values())


def in_choices(change: Callable[[Json], Json]) -> Undo:
    """An undo that applies ``change`` to each choice of each chunk."""

    def changed(data: Json) -> Json:
        before = data["choices"]
        choices = [change(choice) if isinstance(choice, dict) else choice for choice in before]
        same = all(a is b for a, b in zip(choices, before, strict=True))
        return data if same else {**data, "choices": choices}

    return in_chunks(changed)


def end_object(data: Json) -> Json:
    """Undo the object of the chunk that ends the answer."""
    ends = data.get("object") == "chat.completion.done" and chunks.finish_reasons(data)
    return {**data, "object": _OBJECT} if ends else data


def drop_running_usage(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo usage in every chunk with a choice: remove all reports but the last.

    Only reports whose totals never decrease are removed.
    """
    with_choices = [event for event in _chunks(events) if event.data["choices"]]
    totals = [integer(mapping(e.data.get("usage")).get("total_tokens")) for e in with_choices]
    known = [total for total in totals if total is not None]
    grow = all(earlier <= later for earlier, later in pairwise(known))
    if not grow or len(known) < len(with_choices):
        return events
    earlier = {id(event) for event in with_choices[:-1]}
    return [
        rewrite(event, lambda data: omit(data, ("usage",))) if id(event) in earlier else event
        for event in events
    ]


def drop_finished(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo the choices of the last chunk, which has the usage: all are empty and have finished."""
    sent = _chunks(events)
    last = sent[-1] if sent else None
    if last is None or not last.data.get("usage") or not last.data["choices"]:
        return events
    choices = [choice for event in sent[:-1] for choice in chunks.choices(event.data)]
    finished = {chunks.index(choice) for choice in choices if choice.get("finish_reason")}
    again = list(chunks.choices(last.data))
    if not all(_is_empty(each) and chunks.index(each) in finished for each in again):
        return events
    return [rewrite(e, lambda data: {**data, "choices": []}) if e is last else e for e in events]


def drop_error_choices(data: Json) -> Json:
    """Undo the choices of a chunk with an error, if each has the finish reason error."""
    choices = [choice.get("finish_reason") for choice in chunks.choices(data)]
    failed = chunks.error_in(data) is not None and choices and {*choices} == {"error"}
    return omit(data, ("choices",)) if failed else data


def _is_empty(choice: Mapping[str, Any]) -> bool:
    """Whether the delta of a choice has nothing but a role."""
    delta = mapping(choice.get("delta"))
    return not any(value for name, value in delta.items() if name != "role")


def split_usage(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo usage in the chunk that has the finish: move it to a chunk of its own after that."""
    last = next(reversed(_chunks(events)), None)
    if last is None or not last.data.get("usage") or not chunks.finish_reasons(last.data):
        return events
    finish = {name: value for name, value in last.data.items() if name != "usage"}
    usage = {**last.data, "choices": []}
    split = [replace(last, data=finish), replace(last, data=usage)]
    return [one for event in events for one in (split if event is last else [event])]


def fix_created(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo a ``created`` that is the time of each chunk: set all to the first.

    Only times that never decrease, within an hour, are changed.
    """
    times = [integer(event.data.get("created")) or 0 for event in _chunks(events)]
    if not times or not _are_of_one_answer(times):
        return events
    first = times[0]
    same = in_chunks(lambda data: data if data["created"] == first else {**data, "created": first})
    return same(events)


def _are_of_one_answer(times: Sequence[int]) -> bool:
    grow = all(earlier <= later for earlier, later in pairwise(times))
    return grow and times[0] > 0 and times[-1] - times[0] <= _LONGEST


def fill_index(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo missing indexes of calls that come complete in one fragment: number them in order."""
    begun: dict[int, int] = {}

    def counted(choice: Json) -> Json:
        at = chunks.index(choice)

        def fragment(call: Any) -> Any:
            n = begun.get(at, 0)
            begun[at] = n + 1
            return {**call, "index": n} if _is_complete_call(call) and "index" not in call else call

        return _with_calls(choice, fragment)

    return in_choices(counted)(events)


def _is_complete_call(call: Any) -> bool:
    """Whether a fragment has a complete call: its id, its name and its arguments."""
    function = mapping(mapping(call).get("function"))
    named = text(mapping(call).get("id")) and text(function.get("name"))
    return bool(named) and isinstance(function.get("arguments"), str)


def fill_type(choice: Json) -> Json:
    """Undo a missing type of calls that come complete in one fragment: they are functions."""
    return _with_calls(
        choice,
        lambda call: (
            {**call, "type": "function"} if _is_complete_call(call) and "type" not in call else call
        ),
    )


def _with_calls(choice: Json, change: Callable[[Any], Any]) -> Json:
    delta = mapping(choice.get("delta"))
    before = listed(delta.get("tool_calls"))
    calls = [change(call) for call in before]
    if all(a is b for a, b in zip(calls, before, strict=True)):
        return choice
    return {**choice, "delta": {**delta, "tool_calls": calls}}


def split_thinking(choice: Json) -> Json:
    """Undo content that is a list of pieces: join the texts, and separately what was thought.

    References have no text.
    """
    delta = mapping(choice.get("delta"))
    pieces = listed(delta.get("content"))
    if not pieces or not all(map(_is_piece, pieces)):
        return choice
    said = "".join(map(_text_of, pieces))
    thought = "".join(map(_text_of, chain(*(piece.get("thinking", ()) for piece in pieces))))
    return {**choice, "delta": {**delta, "content": said, "reasoning_content": thought}}


def _is_piece(piece: Any) -> bool:
    """Whether this is a text, a reference, or a thinking that consists of these."""
    match mapping(piece):
        case {"type": "text", "text": str()} | {"type": "reference", "reference_ids": list()}:
            return True
        case {"type": "thinking", "thinking": list(inner)}:
            return all(_is_piece(each) and "thinking" not in each for each in inner)
    return False


def _text_of(piece: Json) -> str:
    return text(piece.get("text"))


def rename_reasons(names: Mapping[str, str]) -> Undo:
    """Undo finish reasons of a vendor: replace each with the nearest one of the specification."""

    def known(choice: Json) -> Json:
        reason = text(choice.get("finish_reason"))
        return {**choice, "finish_reason": names[reason]} if reason in names else choice

    return in_choices(known)


UNDO: Mapping[str, Undo] = {
    "prompt-filters": fill_envelope,
    "filter-packets": filter_packets,
    "no-object": in_chunks(fill_object),
    "no-model": fill_model,
    "annotations-object": in_choices(drop_annotations),
    "no-index": fill_index,
    "no-type": in_choices(fill_type),
    "thinking-content": in_choices(split_thinking),
    "done-object": in_chunks(end_object),
    "running-usage": drop_running_usage,
    "usage-beside-choice": drop_finished,
    "error-beside-choice": change_each(drop_error_choices),
    "usage-with-finish": split_usage,
    "error-reason": rename_reasons({"error": "stop"}),
    "resource-reason": rename_reasons({"insufficient_system_resource": "stop"}),
    "drifting-created": fix_created,
}
"""The functions that undo the exceptions, which ``exceptions.yaml`` describes, by id."""
