"""Variations of choices and their deltas: filter results, the finish, nulls, names of reasoning."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.chat.chunks import CHUNK, DELTA, choices, finish_reasons
from mockserver.dialects.chat.variations.envelopes import UNFILTERED
from mockserver.dialects.chat.variations.steps import (
    departing,
    each_choice,
    each_delta,
    is_chunk,
    map_chunks,
)
from mockserver.foundation.json_fields import mapping, omit
from mockserver.scenario.script import Checkpoint
from mockserver.wire.event import Change, Data, Event, Step
from mockserver.wire.variation import Variation

# Azure's filter packets have an empty envelope.
_NAMELESS: Data = {"id": "", "object": "", "created": 0, "model": ""}


def _filters_first(steps: Sequence[Step]) -> Sequence[Step]:
    """Insert a chunk with the filter results of the prompt before all others."""
    results = [{"prompt_index": 0, "content_filter_results": UNFILTERED}]
    if not any(map(is_chunk, steps)):
        return steps
    first = {**_NAMELESS, "choices": [], "prompt_filter_results": results}
    return [Event(CHUNK, first), *steps]


def _insert_filters(steps: Sequence[Step]) -> Iterator[Step]:
    """Insert filter results after every chunk with content and the checkpoints that follow it."""
    end, is_pending = 0, False
    for step in steps:
        if is_pending and not isinstance(step, Checkpoint):
            yield _packet(end)
            is_pending = False
        yield step
        said = _content(step)
        end, is_pending = end + said, is_pending or bool(said)
    if is_pending:
        yield _packet(end)


def _content(step: Step) -> int:
    """The number of characters of text in the first choice of a chunk."""
    if not is_chunk(step):
        return 0
    choice = mapping(next(iter(step.data["choices"]), None))
    content = mapping(choice.get("delta")).get("content")
    return len(content) if isinstance(content, str) and not choice.get("index") else 0


def _packet(end: int) -> Event:
    """A chunk with the filter results for the first ``end`` characters of the answer."""
    offsets = {"check_offset": end, "start_offset": 0, "end_offset": end}
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": None,
        "content_filter_results": UNFILTERED,
        "content_filter_offsets": offsets,
    }
    return Event(CHUNK, {**_NAMELESS, "choices": [choice], "usage": None})


def _is_only_end(choice: Mapping[str, Any]) -> bool:
    return bool(choice.get("finish_reason")) and choice.get("delta") == {}


def _join_finish(steps: Sequence[Step]) -> Sequence[Step]:
    """Move the finish into the last delta if the two are adjacent."""
    result: list[Step] = []
    for step in steps:
        before = result[-1] if result else None
        if is_chunk(before) and is_chunk(step) and _can_join(before, step):
            result[-1] = replace(before, data=_add_finish(before.data, step.data))
        else:
            result.append(step)
    return result


def _can_join(before: Event, step: Event) -> bool:
    finished, grown = list(choices(step.data)), list(choices(before.data))
    return (
        before.type == DELTA
        and len(finished) == len(grown) == 1
        and finished[0].get("index") == grown[0].get("index")
        and _is_only_end(finished[0])
        and not finish_reasons(before.data)
    )


def _add_finish(data: Data, finish: Data) -> Data:
    """The last delta's chunk with the finish reason, and with the usage beside it if there is."""
    (choice,), (last,) = data["choices"], finish["choices"]
    usage = {"usage": finish["usage"]} if finish.get("usage") else {}
    return {**data, **usage, "choices": [{**choice, "finish_reason": last["finish_reason"]}]}


CHOICES = (
    departing(
        "empty-choices",
        "the first chunk has no choices, id or model and reports the filters of the prompt, as "
        "Azure sends it",
        _filters_first,
    ),
    departing(
        "filter-packets",
        "after every text, a chunk whose choice has no delta reports filter results, as Azure "
        "sends it",
        lambda steps: list(_insert_filters(steps)),
    ),
    departing(
        "null-delta",
        "the delta beside the finish reason is null",
        each_choice(lambda choice: {**choice, "delta": None} if _is_only_end(choice) else choice),
    ),
    departing(
        "finish-without-delta",
        "the choice with the finish reason has no delta, as in the annex of Copilot Chat",
        each_choice(lambda choice: omit(choice, ("delta",)) if _is_only_end(choice) else choice),
    ),
    Variation(
        "finish-with-content",
        "the finish reason is in the chunk with the last text or the last fragment of a call "
        "(legal)",
        change_steps=_join_finish,
    ),
)


def _add_beside_text(**fields: Any) -> Change:
    """Add these fields to every delta of text that does not have them."""
    return each_delta(lambda delta: {**fields, **delta} if "content" in delta else delta)


def _rename(**names: str) -> Change:
    """Rename fields of every delta."""
    return each_delta(lambda delta: {names.get(name, name): value for name, value in delta.items()})


_ROLE_DELTA: Data = {"role": "assistant", "content": ""}


def _remove_role(steps: Sequence[Step]) -> Sequence[Step]:
    """Remove the role from every delta, and the chunk that has only the role."""
    kept = [step for step in steps if not (is_chunk(step) and _has_only_role(step))]
    return each_delta(
        lambda delta: {k: v for k, v in delta.items() if (k, v) != ("role", "assistant")}
    )(kept)


def _has_only_role(chunk: Event) -> bool:
    found = list(choices(chunk.data))
    return bool(found) and all(
        choice.get("delta") == _ROLE_DELTA and not choice.get("finish_reason") for choice in found
    )


def _set_null_content(steps: Sequence[Step]) -> Sequence[Step]:
    """Set the content to null in every delta without text, and in the one that has the role."""
    bare = map_chunks(lambda chunk: _remove_content(chunk) if _has_only_role(chunk) else chunk)
    return each_delta(lambda delta: {"content": None, **delta} if delta else delta)(bare(steps))


def _remove_content(chunk: Event) -> Event:
    bare = [{**choice, "delta": {"role": "assistant"}} for choice in chunk.data["choices"]]
    return replace(chunk, data={**chunk.data, "choices": bare})


DELTAS = (
    Variation(
        "null-content",
        "content is null in every delta without text (legal: OpenAI sends it before calls)",
        change_steps=_set_null_content,
    ),
    Variation(
        "empty-tool-calls",
        "every delta with text has an empty list of tool calls (legal), as vLLM sends it",
        change_steps=_add_beside_text(tool_calls=[]),
    ),
    Variation(
        "null-tool-calls",
        "tool_calls, function_call and refusal are null in every delta with text (legal), as "
        "sglang and Azure send them",
        change_steps=_add_beside_text(tool_calls=None, function_call=None, refusal=None),
    ),
    Variation(
        "role-everywhere",
        "every delta has the role (legal), as many servers send it",
        change_steps=each_delta(lambda delta: {"role": "assistant", **delta}),
    ),
    Variation(
        "no-role",
        "no delta has a role, and the first chunk is the first with content (legal: the role is "
        "optional)",
        change_steps=_remove_role,
    ),
    Variation(
        "cot-summary",
        "reasoning is sent as cot_summary with its cot_id, as Copilot's proxy first sent it "
        "(OpenAI has no field for reasoning here, so any name is legal)",
        change_steps=_rename(
            reasoning_content="cot_summary", reasoning_text="cot_summary", reasoning_opaque="cot_id"
        ),
    ),
    Variation(
        "copilot-reasoning",
        "reasoning is sent as reasoning_text, as GitHub Copilot's proxy sends it now (any name is "
        "legal)",
        change_steps=_rename(reasoning_content="reasoning_text"),
    ),
    Variation(
        "reasoning-field",
        "reasoning is sent as reasoning, as by OpenRouter, vLLM and llama.cpp",
        change_steps=_rename(reasoning_content="reasoning"),
    ),
    Variation(
        "thinking-field",
        "reasoning is sent as thinking with its signature, as by Anthropic's models behind "
        "Copilot's proxy",
        change_steps=_rename(
            reasoning_content="thinking", reasoning_text="thinking", reasoning_opaque="signature"
        ),
    ),
)
