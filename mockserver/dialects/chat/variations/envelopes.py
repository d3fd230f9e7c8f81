"""Variations of the fields beside the choices of a chunk: left out, or changed by vendors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from mockserver.dialects.chat.variations.steps import SPOKEN, each_chunk, each_delta, is_chunk
from mockserver.wire.event import Data, Event, Step
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


def _nameless(data: Data) -> Data:
    """Remove ``object``, and ``model`` if it is empty."""
    left_out = {"object"} if data.get("model") else {"object", "model"}
    return {name: value for name, value in data.items() if name not in left_out}


def flagged(delta: Data) -> Data:
    """A delta with the comments of Copilot's proxy on its code."""
    return {**delta, "annotations": _FLAGGED, "copilot_annotations": _FLAGGED}


def _flagged(delta: Data) -> Data:
    return flagged(delta) if delta.get("content") or delta.get("tool_calls") else delta


def _drifting(steps: Sequence[Step]) -> Sequence[Step]:
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
        change_steps=each_chunk(_nameless),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "annotations-object",
        "the annotations of a delta are an object, as GitHub Copilot's proxy sends them (not "
        "within OpenAI's specification)",
        change_steps=each_delta(_flagged),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "drifting-created",
        "created is the time of each chunk, as xAI sends it (not within OpenAI's specification)",
        change_steps=_drifting,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
)
