"""Variations of the fields beside the choices of a chunk, the usage report among them.

Of several reports of usage, the last one that is not null counts.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mockserver.dialects.chat.chunks import CHUNK, finish_reasons
from mockserver.dialects.chat.variations.steps import (
    departing,
    each_choice,
    each_chunk,
    each_delta,
    is_chunk,
    map_chunks,
)
from mockserver.foundation.json_fields import mapping, omit
from mockserver.wire.event import Data, Event, Step
from mockserver.wire.slots import mark
from mockserver.wire.variation import EVERYWHERE, Variation

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
    return omit(data, ("object",) if data.get("model") else ("object", "model"))


def flag_code(delta: Data) -> Data:
    """A delta with the comments of Copilot's proxy on its code."""
    return {**delta, "annotations": _FLAGGED, "copilot_annotations": _FLAGGED}


def _flag_content(delta: Data) -> Data:
    return flag_code(delta) if delta.get("content") or delta.get("tool_calls") else delta


def _drift(steps: Sequence[Step]) -> Sequence[Step]:
    """Give each chunk a time of its own; two chunks share a second."""
    sent = count()
    return each_chunk(lambda data: {**data, "created": _EPOCH + next(sent) // 2})(steps)


ENVELOPES = (
    departing(
        "no-object",
        "chunks have no object, and those with an empty model have no model, as GitHub "
        "Copilot's proxy sends them",
        each_chunk(_remove_object),
    ),
    departing(
        "annotations-object",
        "the annotations of a delta are an object, as GitHub Copilot's proxy sends them",
        each_delta(_flag_content),
    ),
    departing(
        "drifting-created", "created is the time of each chunk, as xAI and Groq send it", _drift
    ),
)


_SAFE = {"filtered": False, "severity": "safe"}

UNFILTERED: Data = dict.fromkeys(("hate", "self_harm", "sexual", "violence"), _SAFE)
"""Filter results in which no filter has triggered."""

_PROMPT = [{"prompt_index": 0, "content_filter_results": UNFILTERED}]
_ANNOTATIONS: dict[str, Any] = {"CodeVulnerability": [], "IPCodeCitations": []}


def _add_fields(steps: Sequence[Step]) -> Sequence[Step]:
    sent = count()
    return each_choice(_choice)(each_chunk(lambda data: _chunk(data, next(sent)))(steps))


def _chunk(data: Data, n: int) -> Data:
    first: Data = {} if n else {"prompt_filter_results": _PROMPT}
    usage = {"copilot_usage": {"total_nano_aiu": 7}} if finish_reasons(data) else {}
    known = {"system_fingerprint": "fp_5b1f", "service_tier": "default", "obfuscation": "x7Qz"}
    return first | known | usage | data


def _choice(choice: Data) -> Data:
    offsets = {"content_filter_offsets": {"check_offset": 0, "start_offset": 0, "end_offset": 0}}
    changed: Data = {"content_filter_results": UNFILTERED, **offsets, **choice}
    delta = choice.get("delta")
    if isinstance(delta, dict) and delta.get("content"):
        changed["delta"] = {"copilot_annotations": _ANNOTATIONS, **delta}
    return changed


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
    ),
    Variation(
        "copilot-notices",
        "chunks with null choices are in between: references, and empty lists of errors (legal "
        "only for Copilot's proxy)",
        change_steps=_insert_notices,
        departs_in=EVERYWHERE,
    ),
)


_TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens")


def _find_own_chunk(steps: Sequence[Step]) -> int | None:
    """The index of the chunk that has only a usage report, if it is the last chunk."""
    chunks = [n for n, step in enumerate(steps) if is_chunk(step)]
    last = _data(steps, chunks[-1]) if chunks else {}
    return chunks[-1] if mapping(last.get("usage")) and not last["choices"] else None


def _data(steps: Sequence[Step], n: int) -> Data:
    """The data of the chunk at this index; empty if it is no chunk."""
    step = steps[n]
    return step.data if is_chunk(step) else {}


def _move_to_finish(steps: Sequence[Step]) -> Sequence[Step]:
    """Move the usage report into the last chunk with a finish reason."""
    own = _find_own_chunk(steps)
    finishes = [n for n, _ in enumerate(steps) if finish_reasons(_data(steps, n))]
    if own is None or not finishes:
        return steps
    last, usage = finishes[-1], {"usage": _data(steps, own)["usage"]}
    add = each_chunk(lambda data: data | usage)
    return [*steps[:last], *add(steps[last : last + 1]), *steps[last + 1 : own], *steps[own + 1 :]]


def _add_choice(steps: Sequence[Step]) -> Sequence[Step]:
    """Give the usage report a choice, whose delta is empty and which repeats the finish reason."""
    own = _find_own_chunk(steps)
    reasons = [reason for n, _ in enumerate(steps) for reason in finish_reasons(_data(steps, n))]
    if own is None or not reasons:
        return steps
    delta = {"role": "assistant", "content": ""}
    choice = {"index": 0, "delta": delta, "finish_reason": reasons[-1]}
    add = each_chunk(lambda data: {**data, "choices": [choice]})
    return [*steps[:own], *add(steps[own : own + 1]), *steps[own + 1 :]]


def _repeat_everywhere(steps: Sequence[Step]) -> Sequence[Step]:
    """Add the usage so far to every chunk before the usage report."""
    own = _find_own_chunk(steps)
    if own is None:
        return steps
    used, so_far = mapping(_data(steps, own)["usage"]), count()
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
    return map_chunks(
        lambda chunk: replace(chunk, data=_remove_null(chunk.data), nulls_on_request=())
    )(steps)


def _remove_null(data: Data) -> Data:
    return data if data.get("usage") is not None else omit(data, ("usage",))


USAGE = (
    Variation(
        "usage-with-finish",
        "the chunk with the finish reason has the usage, as DeepSeek sends it (not within "
        "OpenAI's specification, which has a chunk of its own for it)",
        change_steps=_move_to_finish,
        departs_in=EVERYWHERE,
    ),
    departing(
        "usage-beside-choice",
        "the chunk with the usage has a choice with an empty delta and the finish reason again, as "
        "OpenRouter sends it",
        _add_choice,
    ),
    departing(
        "usage-everywhere", "every chunk has the usage so far, at first zeros", _repeat_everywhere
    ),
    Variation(
        "usage-null",
        "usage is null in every chunk but its own, even if it was not requested (legal), as SGLang "
        "sends it",
        change_steps=each_chunk(_null),
    ),
    Variation(
        "no-usage-null",
        "chunks without usage have no such field, even if usage was requested, as xAI and vLLM "
        "send them, and api.openai.com did in 2024 (OpenAI documents null)",
        change_steps=_remove_nulls,
    ),
)
