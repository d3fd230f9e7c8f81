"""Variations towards the chunks of api.openai.com: their first delta, and fields of their own.

Shown by recordings of api.openai.com: in vercel/ai at ed857f5 (February 2026),
``packages/openai/src/chat/__fixtures__/openai-text.chunks.txt`` has the fields and the first delta
of a text; in openai/openai-python at e43b4224 (September 2024), ``.inline-snapshot/external`` has
the first deltas of one call (``2018feb6``), several calls (``f82268f2``) and a refusal
(``173417d5``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices
from mockserver.dialects.chat.variations.steps import SPOKEN, is_chunk
from mockserver.foundation.json_fields import mapping
from mockserver.wire.event import Data, Event, Step, events_in
from mockserver.wire.variation import Variation

_BEGINS: Data = {"role": "assistant", "content": ""}
_PADDING = "q7Rw2LmZx0Kc"

_PROMPT_DETAILS: Data = {"cached_tokens": 0, "audio_tokens": 0}
_COMPLETION_DETAILS: Data = {
    "reasoning_tokens": 0,
    "audio_tokens": 0,
    "accepted_prediction_tokens": 0,
    "rejected_prediction_tokens": 0,
}


def _with_fields(steps: Sequence[Step]) -> Sequence[Step]:
    """Add ``service_tier``, ``system_fingerprint`` and ``obfuscation`` to every chunk.

    The report of the usage gets its details.
    """
    sent = count()
    return [
        replace(step, data=_padded(step.data, next(sent)), declinable=("obfuscation",))
        if isinstance(step, Event) and is_chunk(step)
        else step
        for step in steps
    ]


def _padded(data: Data, n: int) -> Data:
    padding = {"obfuscation": _PADDING[: n * 5 % len(_PADDING) + 1]}
    fields = {"service_tier": "default", "system_fingerprint": "fp_5b1f6c0a2d", **data, **padding}
    return {**fields, "usage": _detailed(data["usage"])} if data.get("usage") else fields


def _detailed(usage: Any) -> Any:
    if not isinstance(usage, dict):
        return usage
    details = {
        "prompt_tokens_details": _PROMPT_DETAILS,
        "completion_tokens_details": _COMPLETION_DETAILS,
    }
    return details | usage


def first_delta(steps: Sequence[Step]) -> Sequence[Step]:
    """Begin with what follows: a text, the only call, several calls, or a refusal."""
    result = list(steps)
    at = next((n for n, step in enumerate(steps) if is_chunk(step)), None)
    if at is None or at + 1 == len(steps) or _only_delta(steps[at]) != _BEGINS:
        return steps
    following = _only_delta(steps[at + 1])
    if calls(following) and _number_of_calls(steps) == 1:
        begin = {"role": "assistant", "content": None, **following, "refusal": None}
        del result[at + 1]
    elif calls(following):
        begin = {"role": "assistant", "content": None}
    elif "refusal" in following:
        begin = {"role": "assistant", "content": None, "refusal": ""}
    else:
        begin = {**_BEGINS, "refusal": None}
    result[at] = _with_delta(steps[at], begin)
    return result


def _only_delta(step: Step) -> Data:
    """The delta of a chunk with one choice that does not end; empty for every other step."""
    if not (isinstance(step, Event) and is_chunk(step)) or len(step.data["choices"]) != 1:
        return {}
    (choice,) = choices(step.data)
    return {} if choice.get("finish_reason") else dict(mapping(choice.get("delta")))


def _with_delta(step: Step, delta: Data) -> Step:
    assert isinstance(step, Event)
    (choice,) = step.data["choices"]
    return replace(step, data={**step.data, "choices": [{**choice, "delta": delta}]})


def _number_of_calls(steps: Sequence[Step]) -> int:
    return len(
        {
            call.get("index")
            for event in events_in(steps)
            for choice in choices(event.data)
            for call in calls(mapping(choice.get("delta")))
        }
    )


OPENAI = (
    Variation(
        "openai-fields",
        "chunks have a service tier, a fingerprint and, unless the request declines it, padding, "
        "and the usage has details (legal), as api.openai.com sends them",
        change_steps=_with_fields,
        dialects=SPOKEN,
    ),
    Variation(
        "openai-first-delta",
        "the first delta has a null refusal beside a text, null content before calls, and the only "
        "call itself (legal), as api.openai.com sends it",
        change_steps=first_delta,
        dialects=SPOKEN,
    ),
)
