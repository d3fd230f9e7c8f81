"""Examples of the exceptions in chat completions: known deviations from the specification."""

from __future__ import annotations

from typing import Any

from tests.profiles import Change, Example
from tests.stream import Events, Json
from tests.stream.chat import (
    LEGAL,
    USAGE,
    choice,
    chunk,
    delta,
    edited,
    finish,
    in_choice,
    merged,
    put,
    without,
)

FILTERS: Json = {"hate": {"filtered": False, "severity": "safe"}}
BLANK: Json = {"id": "", "object": "", "created": 0, "model": ""}
PROMPT: Json = {
    **BLANK,
    "choices": [],
    "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": FILTERS}],
}
NOTED: Json = {"CodeVulnerability": [{"id": 0, "details": {"type": "general"}}]}


def _packet(reason: str | None = None, **fields: Any) -> Json:
    """A chunk with filter results only, as Azure's asynchronous filter sends it."""
    choice_ = {"index": 0, "finish_reason": reason, "content_filter_results": FILTERS, **fields}
    return {**BLANK, "choices": [choice_]}


def _first(chunk_: Json) -> Change:
    return put(0, chunk_)


def _everywhere(**fields: Any) -> Change:
    """Changes fields in every chunk; None removes one."""
    return lambda events: [merged(event, fields) for event in events]


def _annotated(annotations: Json, copilot: Json) -> Change:
    delta = {"content": "see.", "annotations": annotations, "copilot_annotations": copilot}
    return in_choice(4, delta=delta)


def _finished(reason: str, **fields: Any) -> Change:
    """Replaces the stream by a short text that ends with this finish reason."""
    end = chunk(choice(reason=reason), **fields)
    return lambda _events: [LEGAL[0], delta(content="Yes."), end]


def _with_usage(usage: Json = USAGE) -> Change:
    return _finished("stop", usage=usage)


def _call(**fields: Any) -> Json:
    """A complete call in one fragment; None removes a field."""
    function = {"name": "search", "arguments": '{"q": "x"}'}
    whole = {"index": 0, "id": "call_1", "type": "function", "function": function}
    return merged(whole, fields)


def _called(*calls: Json) -> Change:
    def change(_events: Events) -> Events:
        return [LEGAL[0], *(delta(tool_calls=[call]) for call in calls), finish("tool_calls")]

    return change


def _times(*times: int) -> Change:
    def change(events: Events) -> Events:
        last = times[-1]
        padded = [*times, *[last] * len(events)]
        return [{**event, "created": time} for event, time in zip(events, padded, strict=False)]

    return change


_T = 1767225600

_PROMPT_NEIGHBOURS = (
    ("chunk-types", _first({**PROMPT, "created": "now"})),
    ("chunk-stable", _first({**PROMPT, "id": "chatcmpl-2", "object": "chat.completion.chunk"})),
    ("chunk-types", put(3, PROMPT)),
    ("chunk-types", _first({**BLANK, "choices": []})),
)
_USAGE_NEIGHBOURS = (
    ("chunk-types", _with_usage({"prompt_tokens": 1})),
    ("usage-once", edited(4, usage=USAGE)),
    ("usage-once", lambda _e: [LEGAL[0], delta(content="a"), chunk(choice({}), usage=USAGE)]),
)


def _usage(profile: str) -> Example:
    return Example(profile, "usage-with-finish", _with_usage(), _USAGE_NEIGHBOURS)


EXAMPLES = (
    Example("azure", "prompt-filters", _first(PROMPT), _PROMPT_NEIGHBOURS),
    Example(
        "azure",
        "filter-packets",
        lambda events: put(4, _packet())(put(-1, _packet())(events)),
        (
            ("chunk-types", put(4, _packet(content_filter_results=None))),
            ("chunk-types", put(4, {**_packet(), "id": "chatcmpl-1"})),
            ("finish-once", lambda events: [*events, _packet("content_filter")]),
            ("finish-once", lambda events: [*without(11)(events), _packet()]),
        ),
    ),
    Example(
        "copilot",
        "prompt-filters",
        _first(PROMPT),
        _PROMPT_NEIGHBOURS,
    ),
    Example(
        "copilot",
        "no-object",
        _everywhere(object=None),
        (
            ("chunk-types", _everywhere(object="chat.completion")),
            ("chunk-types", lambda events: [{**event, "object": None} for event in events]),
        ),
    ),
    Example(
        "copilot",
        "no-model",
        _everywhere(model=None),
        (("chunk-types", edited(3, model=5)),),
    ),
    Example(
        "copilot",
        "annotations-object",
        _annotated(NOTED, NOTED),
        (
            ("chunk-types", _annotated(NOTED, {})),
            ("chunk-types", _annotated({"Mood": []}, {"Mood": []})),
            ("chunk-types", _annotated({"CodeVulnerability": 1}, {"CodeVulnerability": 1})),
        ),
    ),
    _usage("copilot"),
    _usage("groq"),
    Example(
        "mistral",
        "no-index",
        _called(_call(index=None), _call(index=None, id="call_2")),
        (
            ("chunk-types", _called(_call(index=None, id=None))),
            ("chunk-types", _called(_call(index="0"))),
            ("call-fragments", _called(_call(index=None), _call(index=None))),
        ),
    ),
    Example(
        "mistral",
        "no-type",
        _called(_call(type=None)),
        (
            ("chunk-types", _called(_call(type="tool"))),
            ("call-fragments", _called(_call(type=None, id=None))),
        ),
    ),
    _usage("mistral"),
    Example(
        "mistral",
        "error-reason",
        _finished("error"),
        (("chunk-types", _finished("end_turn")),),
    ),
    _usage("deepseek"),
    Example(
        "deepseek",
        "resource-reason",
        _finished("insufficient_system_resource"),
        (("chunk-types", _finished("error")),),
    ),
    Example(
        "xai",
        "drifting-created",
        _times(_T, _T, _T + 1, _T + 2),
        (
            ("chunk-stable", _times(_T, _T + 2, _T + 1)),
            ("chunk-stable", _times(0, _T)),
            ("chunk-stable", _times(_T, _T + 100_000)),
            ("chunk-stable", edited(4, id="chatcmpl-2")),
        ),
    ),
)
