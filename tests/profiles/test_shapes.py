"""The events of a profile have the fields that the recordings of its upstream have."""

import re
from collections.abc import Set

import pytest

from conformance.dialects.openresponses.profile_exceptions import HOSTED
from mockserver.dialects.openresponses.events import GROUPS
from tests.data import DATA, needs_data
from tests.profiles.shapes import Shapes, recorded, sent, shapes
from tests.profiles.situations import CALL, REASONING, RECORDED, TEXT
from tests.stream import Json

SDK = "vercel/ai@ed857f5, packages/openai/src/{}/__fixtures__/{}.chunks.txt"
PYTHON = "openai/openai-python@e43b4224, .inline-snapshot/external/{}*.bin"

_CHUNK: Json = {"id": "x", "object": "x", "created": 1, "model": "x"}
_TODAY: Json = {**_CHUNK, "service_tier": "default", "system_fingerprint": "x", "obfuscation": "x"}
_USAGE: Json = {
    "prompt_tokens": 1,
    "completion_tokens": 1,
    "total_tokens": 2,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {
        "reasoning_tokens": 0,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    },
}


def _choice(delta: Json, reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {"choices": [choice]}


def _today(delta: Json, reason: str | None = None) -> Json:
    return {**_TODAY, **_choice(delta, reason), "usage": None}


def _call(**fields: object) -> Json:
    return {"tool_calls": [{"index": 0, **fields}]}


_BEGINS: Json = {"id": "x", "type": "function", "function": {"name": "x", "arguments": ""}}
_GOES_ON = _choice(_call(function={"arguments": "x"}))
_ENDS = _choice({}, "tool_calls")

OPENAI_TEXT = [
    _today({"role": "assistant", "content": "", "refusal": None}),
    _today({"content": "x"}),
    _today({}, "stop"),
    {**_TODAY, "choices": [], "usage": _USAGE},
]
OPENAI_ONE_CALL = [
    _choice({"role": "assistant", "content": None, "refusal": None, **_call(**_BEGINS)}),
    _GOES_ON,
    _ENDS,
]
OPENAI_TWO_CALLS = [
    _choice({"role": "assistant", "content": None}),
    _choice(_call(**_BEGINS)),
    _GOES_ON,
    _ENDS,
]
OPENAI_REFUSAL = [
    _choice({"role": "assistant", "content": None, "refusal": ""}),
    _choice({"refusal": "x"}),
    _choice({}, "stop"),
]

_IMAGE: Json = {"image_tokens": 0, "text_tokens": 0}
_SIMPLE = """
    background completed_at created_at error frequency_penalty id incomplete_details instructions
    max_output_tokens max_tool_calls metadata model moderation object parallel_tool_calls
    presence_penalty previous_response_id prompt_cache_retention safety_identifier service_tier
    status store temperature tool_choice top_logprobs top_p truncation user
"""
_RESPONSE: Json = {
    **dict.fromkeys(_SIMPLE.split()),
    "output": [],
    "reasoning": dict.fromkeys(("context", "effort", "mode", "summary")),
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "tool_usage": {
        "image_gen": {
            "input_tokens": 0,
            "input_tokens_details": _IMAGE,
            "output_tokens": 0,
            "output_tokens_details": _IMAGE,
            "total_tokens": 0,
        },
        "web_search": {"num_requests": 0},
    },
    "tools": [],
    "usage": None,
}
_COUNTED: Json = {
    "input_tokens": 1,
    "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 1},
    "total_tokens": 2,
}


def _event(type_: str, **fields: object) -> Json:
    return {"type": f"response.{type_}", "sequence_number": 0, **fields}


def _in_part(type_: str, **fields: object) -> Json:
    return _event(type_, item_id="x", output_index=0, content_index=0, **fields)


def _in_summary(type_: str, **fields: object) -> Json:
    return _event(type_, item_id="x", output_index=0, summary_index=0, **fields)


def _lifecycle(response: Json, **beside: Json) -> list[Json]:
    ended = {**response, "usage": _COUNTED}
    return [
        _event("created", response=response),
        _event("in_progress", response=response),
        _event("completed", response=ended, **beside),
    ]


def _item(done: Json, **item: object) -> list[Json]:
    return [
        _event("output_item.added", output_index=0, item=item),
        _event("output_item.done", output_index=0, item={**item, **done}),
    ]


_SEALED: Json = {
    "id": "x",
    "type": "reasoning",
    "content": [],
    "summary": [],
    "encrypted_content": "x",
}
_FUNCTION: Json = {"type": "function_call", "arguments": "x", "call_id": "x", "name": "x"}
OPENAI_RESPONSE = [
    *_lifecycle({**_RESPONSE, "prompt_cache_key": None}),
    *_item({}, **_SEALED),
    *_item({}, id="x", status="completed", **_FUNCTION),
    _event("function_call_arguments.delta", item_id="x", output_index=0, delta="x", obfuscation=""),
    _event("function_call_arguments.done", item_id="x", output_index=0, arguments="x"),
]

_PART: Json = {"type": "output_text", "annotations": [], "logprobs": [], "text": "x"}
_SUMMARY: Json = {"type": "summary_text", "text": "x"}
_MESSAGE: Json = {
    "id": "x", "type": "message", "status": "x", "phase": "x", "role": "assistant", "content": [],
}  # fmt: skip
_TOKENS: Json = {"batch_size": 1, "cost_per_batch": 1, "token_count": 1, "token_type": "input"}
COPILOT_RESPONSE = [
    *_lifecycle(_RESPONSE, copilot_usage={"token_details": [_TOKENS], "total_nano_aiu": 1}),
    *_item({"summary": [_SUMMARY]}, **{**_SEALED, "encrypted_content": None}),
    _in_summary("reasoning_summary_part.added", part=_SUMMARY),
    _in_summary("reasoning_summary_text.delta", delta="x"),
    _in_summary("reasoning_summary_text.done", text="x"),
    _in_summary("reasoning_summary_part.done", part=_SUMMARY),
    *_item({"content": [_PART]}, **_MESSAGE),
    _in_part("content_part.added", part=_PART),
    _in_part("output_text.delta", delta="x", logprobs=[]),
    _in_part("output_text.done", text="x", logprobs=[]),
    _in_part("content_part.done", part=_PART),
]


FOLDER = DATA / "recordings"

# Below these are the values of the request, the items of the tools that were used, and citations.
NOT_COMPARED = re.compile(
    r"^\.response\.(tools|output)\[|^\.response\.text\.format\.|annotations\[|^\.annotation\."
)


@needs_data
@pytest.mark.parametrize("name", RECORDED)
def test_a_profile_sends_the_fields_of_a_recording(name: str) -> None:
    known = RECORDED[name]
    theirs = _comparable(shapes(recorded((FOLDER / name).read_text("utf-8"))))
    ours = _comparable(shapes(sent(known.dialect, known.script, *known.played)))
    assert theirs.keys() <= ours.keys()
    for kind, paths in theirs.items():
        only_theirs = {path for path in paths if _is_in(kind, path, known.theirs)}
        only_ours = {path for path in ours[kind] if _is_in(kind, path, known.ours)}
        assert not only_theirs & ours[kind]
        assert not only_ours & paths
        assert ours[kind] - only_ours == paths - only_theirs, kind


@needs_data
def test_every_recording_is_compared() -> None:
    names = {path.name for path in FOLDER.iterdir() if ".messages." not in path.name}
    assert names == set(RECORDED)


TWO_CALLS = """\
says:
  - call: {id: call_1, name: read, input: {path: a}}
  - call: {id: call_2, name: read, input: {path: b}}"""
REFUSAL = """\
says:
  - refusal: No."""
SEALED_CALL = """\
says:
  - reasoning: {encrypted: b3BhcXVl}
  - call: {id: call_1, name: read, input: {path: a}}"""

PUBLISHED = {
    SDK.format("chat", "openai-text"): ("chat", "openai", TEXT, OPENAI_TEXT),
    PYTHON.format("2018feb6"): ("chat", "openai", CALL, OPENAI_ONE_CALL),
    PYTHON.format("f82268f2"): ("chat", "openai", TWO_CALLS, OPENAI_TWO_CALLS),
    PYTHON.format("173417d5"): ("chat", "openai", REFUSAL, OPENAI_REFUSAL),
    SDK.format("responses", "programmatic-tool-calling.1"): (
        "openresponses", "openai", SEALED_CALL, OPENAI_RESPONSE
    ),
    SDK.format("responses", "github-copilot-id-rotation.1"): (
        "openresponses", "copilot", REASONING, COPILOT_RESPONSE
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", PUBLISHED)
def test_a_profile_sends_the_fields_of_a_published_recording(source: str) -> None:
    dialect, profile, script, events = PUBLISHED[source]
    theirs, ours = _comparable(shapes(events)), _comparable(shapes(sent(dialect, script, profile)))
    if source.startswith("openai/openai-python"):
        # Its recordings of 2024 are older than the other fields of a chunk.
        theirs, ours = _choices_only(theirs), _choices_only(ours)
    assert ours == theirs


def _choices_only(found: Shapes) -> Shapes:
    kept = {
        k: frozenset(p for p in paths if p.startswith(".choices")) for k, paths in found.items()
    }
    return {kind: paths for kind, paths in kept.items() if kind != "usage"}


def _comparable(found: Shapes) -> Shapes:
    """The shapes without hosted tools, and without what depends on the request."""
    return {
        kind: frozenset(_without_value(path) for path in paths if not NOT_COMPARED.search(path))
        for kind, paths in found.items()
        if not _is_hosted(kind)
    }


def _is_hosted(kind: str) -> bool:
    type_, _, item = kind.partition(" ")
    return item in HOSTED or (type_.startswith("response.") and type_ not in GROUPS)


def _without_value(path: str) -> str:
    """The path without the note that its value is null, where the request decides on the value."""
    return path.removesuffix("=null") if path.startswith(".response.") else path


def _is_in(kind: str, path: str, names: Set[str]) -> bool:
    """Whether a path, alone or after its kind, is one of these or of a field below one of them."""
    return any(
        each == name or each.startswith((f"{name}.", f"{name}["))
        for each in (path, f"{kind} {path}")
        for name in names
    )
