"""Variations of ``fullStream``: the other generations of the SDK.

Scripts are rendered as ai 6 streams them. For each other generation, a table maps part types of
ai 6 to the parts that replace them.

Source: ai 4 (TextStreamPart), ai 5 and 7; stream-mapping § fullStream Chunk Types.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mockserver.dialects.vercel import parts, usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.mapping import (
    PartMapping,
    Table,
    copy_field,
    drop,
    map_parts,
    remove_fields,
)
from mockserver.dialects.vercel.parts import FULLSTREAM
from mockserver.dialects.vercel.usage import add_performance
from mockserver.dialects.vercel.variations.conversions import (
    AI_4,
    AI_7,
    CALL_DELTA,
    CALL_START,
    convert_counts,
    finish_v4,
    name_deltas,
)
from mockserver.foundation.json_fields import omit
from mockserver.scenario.script import Raw
from mockserver.wire.event import Change, Data, Step, events_in
from mockserver.wire.variation import Variation

_V6 = NAMES[parts.V6]

# What a part of ai 6 has and one of another generation may have under another name.
_OF_V6 = {
    "text-delta": _V6.text_delta,
    "reasoning-delta": _V6.reasoning_delta,
    "tool-call": _V6.input,
    "finish": _V6.usage,
}


def _apply(generation: str, table: Table) -> Change:
    """Map each part, and then add what depends on the other parts of a step."""
    first, then = _FIRST.get(generation, iter), _THEN.get(generation, iter)
    return lambda steps: [*then(map_parts(first(steps), table))]


_FIRST: Mapping[str, Callable[[Sequence[Step]], Iterable[Step]]] = {
    parts.V4: name_deltas,
    parts.SEED: name_deltas,
}
_THEN: Mapping[str, Callable[[Iterable[Step]], Iterator[Step]]] = {
    parts.V4: finish_v4,
    parts.V7: add_performance,
}


def _misfit(generation: str) -> Callable[[Sequence[Step]], str]:
    """A misfit check: the stream must be expressible in ai 6 and in this generation."""

    def misfit(steps: Sequence[Step]) -> str:
        if any(isinstance(step, Raw) for step in steps):
            return "raw bytes cannot be converted to another generation"
        for event in events_in(steps):
            have = parts.generations(event.type)
            foreign = parts.USUAL not in have or _OF_V6.get(event.type, "type") not in event.data
            if foreign and not event.ignorable and have:
                return f"{parts.USUAL} has no {event.type} like the one in it"
            if event.type in _ONLY_LATER.get(generation, ()):
                return f"{generation} has nothing like {event.type}"
            if (why := parts.reason(event.data)) in _NO_REASON.get(generation, ()):
                return f"{generation} never finishes with {why}"
            if generation == parts.V4 and event.data.get("providerExecuted"):
                return f"{generation} has no tools that a provider runs"
            missing = _LATER_FIELDS.get((generation, event.type))
            if missing and event.data.get(missing):
                return f"{event.type} has no {missing} in {generation}"
        return ""

    return misfit


_NO_REASON = {
    parts.V4: frozenset({"interrupted"}),
    parts.V5: frozenset({"interrupted"}),
    parts.V7: frozenset({"unknown"}),
}

_LATER_FIELDS = {
    (parts.V5, "abort"): "reason",
    (parts.SEED, "tool-input-start"): "providerExecuted",
}

_ONLY_LATER = {
    parts.V4: frozenset({"abort", "raw", "tool-approval-request", "tool-output-denied"}),
    parts.V5: frozenset({"tool-approval-request", "tool-output-denied"}),
}


# ai 5


def _result_v5(part: Data) -> list[Data]:
    """A result, which in ai 5 says that its tool is dynamic, and never that it is not."""
    return [part if part.get("dynamic") else omit(part, ("dynamic",))]


_RAW_REASON = ("rawFinishReason",)
_V5: Table = {
    "abort": remove_fields("reason"),
    "tool-input-start": remove_fields("title"),
    "tool-result": _result_v5,
    "tool-error": _result_v5,
    "finish-step": convert_counts("usage", usage.to_v5, _RAW_REASON),
    "finish": convert_counts(NAMES[parts.V5].usage, usage.to_v5, _RAW_REASON),
}


# stream-mapping's own tables


def _both(field: str) -> PartMapping:
    """A mapping that adds a copy of a field, under the name that it has in ``seed``."""
    return copy_field(getattr(_V6, field), getattr(NAMES[parts.SEED], field))


_SEED: Table = {
    "text-delta": _both("text_delta"),
    "reasoning-delta": _both("reasoning_delta"),
    "reasoning-end": lambda part: [{"type": "reasoning-part-finish"}, part],
    "tool-input-start": CALL_START,
    "tool-input-delta": CALL_DELTA,
    "tool-input-end": drop,
    "tool-call": _both("input"),
    "tool-result": _both("output"),
    "source": _both("source_id"),
    "finish": _both("usage"),
}


_TABLES: Mapping[str, tuple[str, Table]] = {
    parts.V4: ("fullStream of ai 4: textDelta, args, tool-call-streaming-start, step-finish", AI_4),
    parts.V5: ("fullStream of ai 5: usage is flat, and there is no raw finish reason", _V5),
    parts.V7: (
        "fullStream of ai 7: steps have performance data, errors are wrapped, and there are pings",
        AI_7,
    ),
    parts.SEED: (
        "fullStream as stream-mapping lists it, a blend of ai 4 and later with both spellings",
        _SEED,
    ),
}

GENERATIONS = tuple(
    Variation(
        name,
        about,
        change_steps=_apply(name, table),
        dialects=(FULLSTREAM,),
        departs_in=(FULLSTREAM,) if name == parts.SEED else (),
        misfit=_misfit(name),
    )
    for name, (about, table) in _TABLES.items()
)
