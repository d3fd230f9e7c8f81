"""Variations of deltas: null and empty fields, the role, and the names of reasoning fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.chat.chunks import ENCRYPTED_FIELDS, REASONING_FIELDS
from mockserver.dialects.chat.variations.steps import SPOKEN, each_delta, is_chunk
from mockserver.wire.event import Change, Data, Event, Step
from mockserver.wire.variation import Variation


def _add_beside_text(**fields: Any) -> Change:
    """Add these fields to every delta of text that does not have them."""
    return each_delta(lambda delta: {**fields, **delta} if "content" in delta else delta)


def _rename_fields(**names: str) -> Change:
    """Rename fields of every delta."""
    return each_delta(lambda delta: {names.get(name, name): value for name, value in delta.items()})


def _reasoning_as(shown: str, encrypted: str = ENCRYPTED_FIELDS[0]) -> Change:
    """Rename the fields of reasoning and of its encrypted form."""
    return _rename_fields(**{REASONING_FIELDS[0]: shown, ENCRYPTED_FIELDS[0]: encrypted})


_ROLE_DELTA: Data = {"role": "assistant", "content": ""}


def _remove_role(steps: Sequence[Step]) -> Sequence[Step]:
    """Remove the role from every delta, and the chunk that has only the role."""
    kept = [step for step in steps if not _has_only_role(step)]
    return each_delta(
        lambda delta: {k: v for k, v in delta.items() if (k, v) != ("role", "assistant")}
    )(kept)


def _has_only_role(step: Step) -> bool:
    choices = step.data["choices"] if isinstance(step, Event) and is_chunk(step) else []
    return bool(choices) and all(
        isinstance(choice, dict)
        and choice.get("delta") == _ROLE_DELTA
        and not choice.get("finish_reason")
        for choice in choices
    )


def _set_null_content(steps: Sequence[Step]) -> Sequence[Step]:
    """Set the content to null in every delta without text, and in the one that has the role."""
    changed = [
        replace(step, data=_remove_content(step.data))
        if isinstance(step, Event) and _has_only_role(step)
        else step
        for step in steps
    ]
    return each_delta(lambda delta: {"content": None, **delta} if delta else delta)(changed)


def _remove_content(data: Data) -> Data:
    choices = [{**choice, "delta": {"role": "assistant"}} for choice in data["choices"]]
    return {**data, "choices": choices}


DELTAS = (
    Variation(
        "null-content",
        "content is null in every delta without text (legal: OpenAI sends it before calls)",
        change_steps=_set_null_content,
        dialects=SPOKEN,
    ),
    Variation(
        "empty-tool-calls",
        "every delta with text has an empty list of tool calls (legal), as vLLM sends it",
        change_steps=_add_beside_text(tool_calls=[]),
        dialects=SPOKEN,
    ),
    Variation(
        "null-tool-calls",
        "tool_calls, function_call and refusal are null in every delta with text (legal), as "
        "sglang and Azure send them",
        change_steps=_add_beside_text(tool_calls=None, function_call=None, refusal=None),
        dialects=SPOKEN,
    ),
    Variation(
        "role-everywhere",
        "every delta has the role (legal), as many servers send it",
        change_steps=each_delta(lambda delta: {"role": "assistant", **delta}),
        dialects=SPOKEN,
    ),
    Variation(
        "no-role",
        "no delta has a role, and the first chunk is the first with content (legal: the role is "
        "optional)",
        change_steps=_remove_role,
        dialects=SPOKEN,
    ),
    Variation(
        "cot-summary",
        "reasoning is sent as cot_summary with its cot_id, as Copilot's proxy first sent it "
        "(OpenAI has no field for reasoning here, so any name is legal)",
        change_steps=_reasoning_as("cot_summary", "cot_id"),
        dialects=SPOKEN,
    ),
    Variation(
        "reasoning-content",
        "reasoning is sent as reasoning_content, as by DeepSeek and Kimi",
        change_steps=_reasoning_as("reasoning_content"),
        dialects=SPOKEN,
    ),
    Variation(
        "reasoning-field",
        "reasoning is sent as reasoning, as by OpenRouter, vLLM and llama.cpp",
        change_steps=_reasoning_as("reasoning"),
        dialects=SPOKEN,
    ),
    Variation(
        "thinking-field",
        "reasoning is sent as thinking with its signature, as by Anthropic's models behind "
        "Copilot's proxy",
        change_steps=_reasoning_as("thinking", "signature"),
        dialects=SPOKEN,
    ),
)
