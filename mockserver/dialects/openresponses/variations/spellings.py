"""Variations of event types: renamed, or left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mockserver.dialects.openresponses.events import PREAMBLE
from mockserver.dialects.openresponses.variations.steps import SPOKEN, without
from mockserver.wire.event import Change, Event, Step
from mockserver.wire.variation import Variation


def _renamed(names: Mapping[str, str]) -> Change:
    """Rename event types; each name is a type without its suffix ``.delta`` or ``.done``."""
    types = {f"{old}.{end}": f"{new}.{end}" for old, new in names.items() for end in _SUFFIXES}

    def rename(step: Step) -> Step:
        if not isinstance(step, Event) or step.type not in types:
            return step
        type_ = types[step.type]
        data = {**step.data, "type": type_} if step.data.get("type") == step.type else step.data
        return replace(step, type=type_, data=data)

    return lambda steps: [rename(step) for step in steps]


_SUFFIXES = ("delta", "done")

SPELLINGS = (
    Variation(
        "reasoning-text",
        "raw reasoning is sent as response.reasoning_text, as by OpenAI and LM Studio",
        change_steps=_renamed({"response.reasoning": "response.reasoning_text"}),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "reasoning-summary",
        "summaries of reasoning are sent as response.reasoning_summary, as in rfc-00022",
        change_steps=_renamed({"response.reasoning_summary_text": "response.reasoning_summary"}),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
    Variation(
        "no-preamble",
        "the stream starts without response.created and response.in_progress",
        change_steps=without(lambda event: event.type in PREAMBLE),
        dialects=SPOKEN,
    ),
)
