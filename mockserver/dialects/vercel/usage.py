"""Token counts in provider parts and in the generations of ``fullStream``, and timings of ai 7.

Source: ai 4 to 7 (LanguageModelUsage, LanguageModelCallPerformance, isOutputChunk).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import GATEWAY, V4, V6, V7
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Usage
from mockserver.wire.event import Event, Step

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


_PROVIDER_COUNTS = {
    NAMES[GATEWAY].input_tokens: ("total", "noCache", "cacheRead"),
    NAMES[GATEWAY].output_tokens: ("total", "text", "reasoning"),
}

PROVIDER_COUNTS = tuple((side, c) for side, counts in _PROVIDER_COUNTS.items() for c in counts)
"""The paths of all counts of provider parts, which are undefined without a usage report."""


def provider(used: Usage) -> dict[str, Any]:
    """Token counts of provider parts, in the form of V3 and V4."""
    values = ((used.input, used.input, 0), (used.output, used.output, 0))
    sides = zip(_PROVIDER_COUNTS.items(), values, strict=True)
    return {side: dict(zip(names, counts, strict=True)) for (side, names), counts in sides}


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
    """The token counts under the names of ai 4; unknown ones are null, as NaN is in JSON."""
    names = {NAMES[V4].input_tokens: _INPUT, NAMES[V4].output_tokens: _OUTPUT, _TOTAL: _TOTAL}
    return {old: mapping(used).get(new) for old, new in names.items()}


# The timings of a step in ai 7, which its ``finish-step`` has as ``performance``. They are made up:
# the first output after a fixed time, and the others at equal distances. Which of them there are
# depends on the parts of the step: one without output has no time of its first.

_FIRST_MS, _BETWEEN_MS, _TOOL_MS = 250, 20, 40

_NAMES = NAMES[V7]
_GROWN = {
    "text-delta": _NAMES.text_delta,
    "reasoning-delta": _NAMES.reasoning_delta,
    "tool-input-delta": _NAMES.input_delta,
}
_OUTPUTS = frozenset({"file", "reasoning-file", "tool-call"})
_RESULTS = frozenset({"tool-result", "tool-error"})


def add_performance(steps: Iterable[Step]) -> Iterator[Step]:
    """Add its timings to each ``finish-step`` that has none."""
    timings = Timings()
    for step in steps:
        if not isinstance(step, Event) or step.ignorable:
            yield step
            continue
        if step.type == "finish-step" and "performance" not in step.data:
            timed = timings.performance(mapping(step.data.get("usage")))
            yield replace(step, data={**step.data, "performance": timed})
        else:
            yield step
        timings.add(step.data)


@dataclass
class Timings:
    """What the timings of a step depend on: its outputs, and the calls that the SDK has run."""

    outputs: int = 0
    invalid: set[str] = field(default_factory=set)
    executed: list[str] = field(default_factory=list)

    def add(self, part: Mapping[str, Any]) -> None:
        """Count a part; the next one after a ``finish-step`` begins another step."""
        type_, id_ = text(part.get("type")), text(part.get(_NAMES.call_id))
        if type_ == "finish-step":
            self.outputs, self.invalid, self.executed = 0, set(), []
        elif type_ in _OUTPUTS or (type_ in _GROWN and part.get(_GROWN[type_])):
            self.outputs += 1
        if part.get("invalid"):
            self.invalid.add(id_)
        elif type_ in _RESULTS and not part.get("providerExecuted") and id_ not in self.invalid:
            self.executed.append(id_)

    def performance(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """The timings of a step with these token counts."""
        response_ms = _FIRST_MS + _BETWEEN_MS * self.outputs
        given, made = usage.get(_NAMES.input_tokens), usage.get(_NAMES.output_tokens)
        first = {
            "outputTokensPerSecond": _rate(made, response_ms - _FIRST_MS),
            "inputTokensPerSecond": _rate(given, _FIRST_MS),
            "timeToFirstOutputMs": _FIRST_MS,
        }
        between = dict.fromkeys(("min", "p10", "median", "avg", "p90", "max"), _BETWEEN_MS)
        return {
            "stepTimeMs": response_ms + _TOOL_MS * len(self.executed),
            "toolExecutionMs": dict.fromkeys(self.executed, _TOOL_MS),
            "responseTimeMs": response_ms,
            "effectiveOutputTokensPerSecond": _rate(made, response_ms),
            "effectiveTotalTokensPerSecond": _rate(usage.get("totalTokens"), response_ms),
            **(first if self.outputs else {}),
            **({"timeBetweenOutputChunksMs": between} if self.outputs > 1 else {}),
        }


def _rate(tokens: Any, milliseconds: int) -> int:
    """Tokens per second; 0 if their count is unknown."""
    return 1000 * tokens // milliseconds if isinstance(tokens, int) and milliseconds else 0
