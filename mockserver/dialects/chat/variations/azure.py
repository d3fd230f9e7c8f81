"""The variation ``azure-chunks``: the fields that Azure OpenAI sends with its default filter.

Shown by the recording ``azure-model-router.1.chat.jsonl`` (November 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mockserver.dialects.chat.variations.extras import UNFILTERED
from mockserver.dialects.chat.variations.steps import SPOKEN, each_choice, each_chunk
from mockserver.foundation.json_fields import listed, mapping
from mockserver.wire.event import Data, Step
from mockserver.wire.variation import Variation

_JAILBREAK: Data = {"jailbreak": {"filtered": False, "detected": False}}


def _azure(steps: Sequence[Step]) -> Sequence[Step]:
    return each_chunk(_chunk)(each_choice(_choice)(steps))


def _chunk(data: Data) -> Data:
    """A chunk without a tier and fingerprint, or the first chunk with one more filter's result."""
    if results := listed(data.get("prompt_filter_results")):
        return {**data, "prompt_filter_results": list(map(_with_jailbreak, results))}
    kept = {name: value for name, value in data.items() if name != "service_tier"}
    return {**kept, "system_fingerprint": None}


def _with_jailbreak(result: Any) -> Any:
    if not isinstance(found := mapping(result).get("content_filter_results"), dict):
        return result
    return {**result, "content_filter_results": _JAILBREAK | found}


def _choice(choice: Data) -> Data:
    """A choice with the filter results of its text, which are empty if it has none."""
    said = mapping(choice.get("delta")).get("content")
    return {"content_filter_results": UNFILTERED if said else {}, **choice}


AZURE = (
    Variation(
        "azure-chunks",
        "choices have filter results, and the fingerprint is null (legal), as Azure sends them",
        change_steps=_azure,
        dialects=SPOKEN,
    ),
)
