"""The variation ``sparse-response``: a response object that lacks required fields."""

from __future__ import annotations

from mockserver.dialects.openresponses.events import PREAMBLE
from mockserver.dialects.openresponses.variations.steps import SPOKEN
from mockserver.foundation.json_fields import mapping
from mockserver.wire.event import Data, map_events
from mockserver.wire.variation import Variation

_LEFT_OUT = frozenset(
    {
        "background",
        "completed_at",
        "error",
        "frequency_penalty",
        "instructions",
        "max_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "safety_identifier",
        "service_tier",
        "top_logprobs",
        "truncation",
    }
)
_NULL: Data = {"temperature": None, "top_p": None}


def _sparse(_n: int, data: Data) -> Data:
    """Remove fields that have no value; a failed response keeps its error."""
    if not isinstance(response := data.get("response"), dict):
        return data
    left_out = _LEFT_OUT | {"usage"} if data.get("type") in PREAMBLE else _LEFT_OUT
    if mapping(response.get("error")):
        left_out = left_out - {"error"}
    kept = {name: value for name, value in response.items() if name not in left_out}
    return {**data, "response": {**kept, **_NULL}}


SPARSE = (
    Variation(
        "sparse-response",
        "the response object lacks thirteen of its required fields, and sampling parameters are "
        "null, as xAI sends it",
        change_steps=map_events(_sparse),
        dialects=SPOKEN,
        departs_in=SPOKEN,
    ),
)
