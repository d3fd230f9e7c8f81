"""Token counts in the generations of ``fullStream``; provider parts have forms of their own.

Source: ai 4 to 7 (LanguageModelUsage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import V4, V6
from mockserver.foundation.json_fields import mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.scenario.script import Usage

_INPUT, _OUTPUT, _TOTAL = NAMES[V6].input_tokens, NAMES[V6].output_tokens, "totalTokens"
_REASONING, _CACHED = "reasoningTokens", "cachedInputTokens"
_ALIASES = frozenset({_REASONING, _CACHED})
_DETAILS = {
    "inputTokenDetails": ("noCacheTokens", "cacheReadTokens"),
    "outputTokenDetails": ("textTokens", "reasoningTokens"),
}

COUNTS = (
    *((name,) for name in (_INPUT, _OUTPUT, _TOTAL, _REASONING, _CACHED)),
    *((details, name) for details, names in _DETAILS.items() for name in names),
)
"""The paths of all counts of ai 6: undefined without a usage report, but the objects are sent."""


def v6(used: Usage) -> dict[str, Any]:
    """Token counts of ai 6."""
    return {
        _INPUT: used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        _OUTPUT: used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        _TOTAL: used.input + used.output,
        _REASONING: 0,
        _CACHED: 0,
    }


def to_v7(used: Mapping[str, Any]) -> dict[str, Any]:
    """The token counts without the aliases of the details."""
    return {name: value for name, value in used.items() if name not in _ALIASES}


def to_v5(used: Mapping[str, Any]) -> dict[str, Any]:
    """The token counts without details."""
    return {name: value for name, value in used.items() if name not in _DETAILS}


def to_v4(used: Any) -> dict[str, Any]:
    """The token counts under the names of ai 4; unknown ones are not a number, which JSON has not.

    So they are sent as null.
    """
    names = {NAMES[V4].input_tokens: _INPUT, NAMES[V4].output_tokens: _OUTPUT, _TOTAL: _TOTAL}
    return {old: mapping(used).get(new) for old, new in names.items()}
