"""Variations of the fields beside the choices of a chunk, and chunks that Copilot's proxy adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mockserver.dialects.chat.chunks import CHUNK, finish_reasons
from mockserver.dialects.chat.variations.steps import (
    SPOKEN,
    each_choice,
    each_chunk,
    each_delta,
    is_chunk,
)
from mockserver.wire.event import Data, Event, Step
from mockserver.wire.slots import mark
from mockserver.wire.variation import Variation

_EPOCH = 1_770_774_064
_FLAGGED: Data = {
    "CodeVulnerability": [
        {
            "id": 0,
            "start_offset": 0,
            "end_offset": 0,
            "details": {"type": "general"},
            "citations": {},
        }
    ]
}


def _remove_object(data: Data) -> Data:
    """Remove ``object``, and ``model`` if it is empty."""
    left_out = {"object"} if data.get("model") else {"object", "model"}
    return {name: value for name, value in data.items() if name not in left_out}


def flag_code(delta: Data) -> Data:
    """A delta with the comments of Copilot's proxy on its code."""
    return {**delta, "annotations": _FLAGGED, "copilot_annotations": _FLAGGED}


def _flag_content(delta: Data) -> Data:
    return flag_code(delta) if delta.get("content") or delta.get("tool_calls") else delta


def _drift(steps: Sequence[Step]) -> Sequence[Step]:
    """Give each chunk a time of its own; two chunks share a second."""
    sent = count()
    return [
        replace(step, data={**step.data, "created": _EPOCH + next(sent) // 2})
        if isinstance(step, Event) and is_chunk(step)
        else step
        for step in steps
    ]


ENVELOPES = (
    Variation(
        "no-object",
        "chunks have no object, and those with an empty model have no model, as GitHub Copilot's "
        "proxy sends them (not within OpenAI's specification)",
        change_steps=each_chunk(_remove_object),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "annotations-object",
        "the annotations of a delta are an object, as GitHub Copilot's proxy sends them (not "
        "within OpenAI's specification)",
        change_steps=each_delta(_flag_content),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "drifting-created",
        "created is the time of each chunk, as xAI sends it (not within OpenAI's specification)",
        change_steps=_drift,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
)


_SAFE = {"filtered": False, "severity": "safe"}

UNFILTERED: Data = dict.fromkeys(("hate", "self_harm", "sexual", "violence"), _SAFE)
"""Filter results in which no filter has triggered."""

_PROMPT = [{"prompt_index": 0, "content_filter_results": UNFILTERED}]
_ANNOTATIONS: dict[str, Any] = {"CodeVulnerability": [], "IPCodeCitations": []}


def _add_fields(steps: Sequence[Step]) -> Sequence[Step]:
    changed = each_choice(_choice)(each_chunk(_chunk)(steps))
    first = next((n for n, step in enumerate(changed) if is_chunk(step)), None)
    return [_first(step) if n == first else step for n, step in enumerate(changed)]


def _chunk(data: Data) -> Data:
    usage = {"copilot_usage": {"total_nano_aiu": 7}} if finish_reasons(data) else {}
    known = {"system_fingerprint": "fp_5b1f", "service_tier": "default", "obfuscation": "x7Qz"}
    return known | usage | data


def _choice(choice: Data) -> Data:
    offsets = {"content_filter_offsets": {"check_offset": 0, "start_offset": 0, "end_offset": 0}}
    changed: Data = {"content_filter_results": UNFILTERED, **offsets, **choice}
    delta = choice.get("delta")
    if isinstance(delta, dict) and delta.get("content"):
        changed["delta"] = {"copilot_annotations": _ANNOTATIONS, **delta}
    return changed


def _first(step: Step) -> Step:
    assert isinstance(step, Event)
    return replace(step, data={"prompt_filter_results": _PROMPT} | step.data)


_REFERENCE = {
    "type": "github.web-search",
    "id": "ref_1",
    "data": {"query": "not for you", "results": []},
    "is_implicit": True,
}


def _insert_notices(steps: Sequence[Step]) -> Sequence[Step]:
    """Insert references before the answer, and an empty list of errors before its last chunk."""
    chunks = [n for n, step in enumerate(steps) if is_chunk(step)]
    if not chunks:
        return steps
    first, last = chunks[0], chunks[-1]
    references, errors = _notice(copilot_references=[_REFERENCE]), _notice(copilot_errors=[])
    return [*steps[:first], references, *steps[first:last], errors, *steps[last:]]


def _notice(**fields: Any) -> Event:
    return Event(
        CHUNK, {"id": mark("id"), "created": mark("created_at"), "choices": None, **fields}
    )


EXTRAS = (
    Variation(
        "copilot-fields",
        "chunks, choices and deltas have the fields that Azure and Copilot's proxy add: filter "
        "results, a fingerprint, padding, usage of their own, empty annotations (legal)",
        change_steps=_add_fields,
        dialects=SPOKEN,
    ),
    Variation(
        "copilot-notices",
        "chunks with null choices are in between: references, and empty lists of errors (legal "
        "only for Copilot's proxy)",
        change_steps=_insert_notices,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
)
