"""Variations of the place of the usage report; the last one that is not null counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mockserver.dialects.chat.chunks import finish_reasons
from mockserver.dialects.chat.variations.steps import SPOKEN, each_chunk, is_chunk
from mockserver.foundation.json_fields import mapping
from mockserver.wire.event import Data, Event, Step
from mockserver.wire.variation import Variation

_TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens")


def _find_own_chunk(steps: Sequence[Step]) -> int | None:
    """The index of the chunk that has only a usage report, if it is the last chunk."""
    for n in reversed(range(len(steps))):
        step = steps[n]
        if isinstance(step, Event) and is_chunk(step):
            only_usage = not step.data["choices"] and mapping(step.data.get("usage"))
            return n if only_usage else None
    return None


def _move_to_finish(steps: Sequence[Step]) -> Sequence[Step]:
    """Move the usage report into the last chunk with a finish reason."""
    own = _find_own_chunk(steps)
    last = next((n for n in reversed(range(len(steps))) if _finishes(steps[n])), None)
    if own is None or last is None:
        return steps
    finish, usage = steps[last], steps[own]
    assert isinstance(finish, Event)
    assert isinstance(usage, Event)
    merged = replace(finish, data={**finish.data, "usage": usage.data["usage"]})
    return [merged if n == last else step for n, step in enumerate(steps) if n != own]


def _finishes(step: Step) -> bool:
    return isinstance(step, Event) and is_chunk(step) and bool(finish_reasons(step.data))


def _repeat_everywhere(steps: Sequence[Step]) -> Sequence[Step]:
    """Add the usage so far to every chunk before the usage report."""
    own = _find_own_chunk(steps)
    if own is None:
        return steps
    report = steps[own]
    assert isinstance(report, Event)
    used = mapping(report.data.get("usage"))
    so_far = count()
    return [*each_chunk(lambda data: _count(data, used, next(so_far)))(steps[:own]), *steps[own:]]


def _count(data: Data, used: dict[str, Any], n: int) -> Data:
    """Add the usage after ``n`` chunks to a chunk: zeros at first, and at most the final counts."""
    most = [value if isinstance(value := used.get(name), int) else 0 for name in _TOKENS]
    prompt, completion = (most[0], min(n, most[1])) if n else (0, 0)
    usage = dict(zip(_TOKENS, (prompt, completion, prompt + completion), strict=True))
    return {"usage": usage} | data


def _null(data: Data) -> Data:
    return {"usage": None} | data if data["choices"] else data


def _remove_nulls(steps: Sequence[Step]) -> Sequence[Step]:
    """Remove every ``usage`` that is null, also those that are sent only on request."""
    return [
        replace(step, data=_remove_null(step.data), nulls_on_request=())
        if isinstance(step, Event) and is_chunk(step)
        else step
        for step in steps
    ]


def _remove_null(data: Data) -> Data:
    return {name: value for name, value in data.items() if (name, value) != ("usage", None)}


USAGE = (
    Variation(
        "usage-with-finish",
        "the chunk with the finish reason has the usage, as DeepSeek sends it (not within "
        "OpenAI's specification, which has a chunk of its own for it)",
        change_steps=_move_to_finish,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "usage-everywhere",
        "every chunk has the usage so far, at first zeros (not within OpenAI's specification)",
        change_steps=_repeat_everywhere,
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "usage-null",
        "usage is null in every chunk but its own, even if it was not requested (legal), as SGLang "
        "sends it",
        change_steps=each_chunk(_null),
        dialects=SPOKEN,
    ),
    Variation(
        "no-usage-null",
        "chunks without usage have no such field, even if usage was requested, as xAI and vLLM "
        "send them, and api.openai.com did in 2024 (OpenAI documents null)",
        change_steps=_remove_nulls,
        dialects=SPOKEN,
    ),
)
