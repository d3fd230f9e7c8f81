"""Converts provider parts to the specification version that a request asks for.

Parts are written as V3 has them, or with fields of V4. The other versions have fewer types and
fields, and a client of one of them may fail at what it does not know: ai 5 throws at an unknown
type. Fields that a scenario writes in the form of another version are not changed.

Source: @ai-sdk/provider (LanguageModelV2StreamPart to V4).
"""

from collections.abc import Mapping, Sequence

from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.mapping import PartMapping, Table, drop, map_parts, remove_fields
from mockserver.foundation.json_fields import mapping, omit
from mockserver.wire.event import Data, Step

V2, V3, V4 = "2", "3", "4"
FORMS = (V3, V2, V4)
"""Specification versions of provider parts, the default first; a request header names one."""

_USAGE = NAMES[parts.GATEWAY].usage
_INPUT, _OUTPUT = NAMES[parts.GATEWAY].input_tokens, NAMES[parts.GATEWAY].output_tokens


def apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    """Convert parts of V3 to a specification version, and leave out those that it has not.

    A file that is given by its URL has a form in V4 alone. An unknown version is answered with V3.
    """
    return [*map_parts(steps, _TABLES.get(form, _TABLES[V3]))]


def _finish_v2(part: Data) -> list[Data]:
    changed = dict(part)
    if isinstance(part.get("finishReason"), dict):
        changed["finishReason"] = _REASONS_V2.get(reason := parts.reason(part), reason)
    if isinstance(used := part.get(_USAGE), dict):
        changed[_USAGE] = _flatten(used)
    return [changed]


# An interrupted answer has no finish reason of its model.
_REASONS_V2 = {"interrupted": "unknown", "": "unknown"}


def _flatten(used: Data) -> Data:
    """Token counts in the form of V2, which is flat; counts that are flat are not changed."""
    given, made = used.get(_INPUT), used.get(_OUTPUT)
    if not isinstance(given, dict) or not isinstance(made, dict):
        return dict(used)
    totals = (given.get("total"), made.get("total"))
    known = all(isinstance(count, int) for count in totals)
    counts = {
        _INPUT: given.get("total"),
        _OUTPUT: made.get("total"),
        "totalTokens": sum(count for count in totals if isinstance(count, int)) if known else None,
        "reasoningTokens": made.get("reasoning"),
        "cachedInputTokens": given.get("cacheRead"),
    }
    return {name: count for name, count in counts.items() if count is not None}


def _finish_v3(part: Data) -> list[Data]:
    found = mapping(part.get("finishReason"))
    if found.get("unified") != "interrupted":
        return [part]
    return [{**part, "finishReason": {**found, "unified": "other"}}]


def _file_without_url(*missing: str) -> PartMapping:
    """A mapping that drops a file given by its URL, and removes fields of any other."""
    return lambda part: (
        [] if mapping(part.get("data")).get("type") == "url" else [omit(part, missing)]
    )


def _file_v4(part: Data) -> list[Data]:
    """Wrap the data of a file: in V4 it has a type, since it may also be a URL."""
    data = part.get("data")
    wrapped = {"type": "data", "data": data}
    return [{**part, "data": wrapped} if isinstance(data, str) else part]


_BEFORE_V4: Table = {
    **dict.fromkeys(("custom", "ping", "reasoning-file"), drop),
    "text-end": remove_fields("citations"),
}
_TABLES: Mapping[str, Table] = {
    V2: {
        **_BEFORE_V4,
        "tool-approval-request": drop,
        "tool-input-start": remove_fields("dynamic", "inputEncoding", "title"),
        "tool-call": remove_fields("dynamic"),
        # The result of a tool says in V2 that the provider has run it.
        "tool-result": lambda part: [
            {**omit(part, ("dynamic", "preliminary")), "providerExecuted": True}
        ],
        "file": _file_without_url("providerMetadata"),
        "finish": _finish_v2,
    },
    V3: {**_BEFORE_V4, "file": _file_without_url(), "finish": _finish_v3},
    V4: {"file": _file_v4, "reasoning-file": _file_v4},
}
