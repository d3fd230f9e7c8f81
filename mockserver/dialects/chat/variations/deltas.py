"""What stands beside the one thing that a delta says: nulls, empty lists, the role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.chat.chunks import OPAQUE, THOUGHTS
from mockserver.dialects.chat.variations.steps import SPOKEN, each_delta
from mockserver.wire.event import Event, Step
from mockserver.wire.steps import Data
from mockserver.wire.variation import Change, Variation


def _beside_text(**fields: Any) -> Change:
    """These fields in every delta of text that does not have them."""
    return each_delta(lambda delta: {**fields, **delta} if "content" in delta else delta)


def _renamed(**names: str) -> Change:
    return each_delta(lambda delta: {names.get(name, name): value for name, value in delta.items()})


def _reasoning_as(shown: str, opaque: str = OPAQUE[0]) -> Change:
    return _renamed(**{THOUGHTS[0]: shown, OPAQUE[0]: opaque})


_IS_ROLE: Data = {"role": "assistant", "content": ""}


def _without_role(steps: Sequence[Step]) -> Sequence[Step]:
    """No delta has the role of the answer; one that says nothing else goes."""
    kept = [step for step in steps if not _only_begins(step)]
    return each_delta(
        lambda delta: {k: v for k, v in delta.items() if (k, v) != ("role", "assistant")}
    )(kept)


def _only_begins(step: Step) -> bool:
    choices = step.data.get("choices") if isinstance(step, Event) else None
    return bool(choices) and all(
        isinstance(choice, dict)
        and choice.get("delta") == _IS_ROLE
        and not choice.get("finish_reason")
        for choice in choices or ()
    )


def _begins_with_null(steps: Sequence[Step]) -> Sequence[Step]:
    """The delta that only begins an answer has null for a text."""
    begun = [
        replace(step, data=_nulled(step.data))
        if isinstance(step, Event) and _only_begins(step)
        else step
        for step in steps
    ]
    return each_delta(lambda delta: {"content": None, **delta} if delta else delta)(begun)


def _nulled(data: Data) -> Data:
    choices = [{**choice, "delta": {"role": "assistant"}} for choice in data["choices"]]
    return {**data, "choices": choices}


DELTAS = (
    Variation(
        "null-content",
        "the content is null in every delta that has no text (legal: OpenAI sends it so before "
        "calls)",
        change_steps=_begins_with_null,
        dialects=SPOKEN,
    ),
    Variation(
        "empty-tool-calls",
        "an empty list of tool calls stands beside every text (legal), as vLLM sends it",
        change_steps=_beside_text(tool_calls=[]),
        dialects=SPOKEN,
    ),
    Variation(
        "null-tool-calls",
        "tool_calls, function_call and refusal are null beside every text (legal), as sglang and "
        "Azure send them",
        change_steps=_beside_text(tool_calls=None, function_call=None, refusal=None),
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
        "no delta has a role, the first chunk is the first with content (legal: it is optional)",
        change_steps=_without_role,
        dialects=SPOKEN,
    ),
    Variation(
        "cot-summary",
        "reasoning comes as cot_summary with its cot_id, as Copilot's proxy sent it first (OpenAI "
        "has no reasoning here; any name is as legal as another)",
        change_steps=_reasoning_as("cot_summary", "cot_id"),
        dialects=SPOKEN,
    ),
    Variation(
        "reasoning-content",
        "reasoning comes as reasoning_content, as DeepSeek and Kimi send it",
        change_steps=_reasoning_as("reasoning_content"),
        dialects=SPOKEN,
    ),
    Variation(
        "reasoning-field",
        "reasoning comes as reasoning, as OpenRouter, vLLM and llama.cpp send it",
        change_steps=_reasoning_as("reasoning"),
        dialects=SPOKEN,
    ),
    Variation(
        "thinking-field",
        "reasoning comes as thinking with its signature, as Anthropic's models have it behind "
        "Copilot's proxy",
        change_steps=_reasoning_as("thinking", "signature"),
        dialects=SPOKEN,
    ),
)
