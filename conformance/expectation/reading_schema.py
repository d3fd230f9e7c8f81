"""Compiles expectations into a JSON Schema of a reading, with which any language can judge.

The schema accepts a reading if the ``must`` rules about readings do; a property test compares them.
Only that ids which the adapter makes itself are unique is in no schema.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.contract.citations import IDENTITY
from conformance.expectation.early_endings import BY_BINDING, DENIALS, SAYS_INCOMPLETE
from conformance.expectation.projection import MAX_INPUT_DEPTH, Expected, ExpectedCall
from mockserver.foundation.call_arguments import round_to_doubles
from mockserver.scenario.expected import ExpectData
from mockserver.scenario.script import Citation


def compile_schema(alternatives: Sequence[Expected]) -> dict[str, Any]:
    """A JSON Schema that accepts a reading if it satisfies one of the alternatives."""
    schemas = [_reading(expected) for expected in alternatives]
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**dialect, **(schemas[0] if len(schemas) == 1 else {"anyOf": schemas})}


def _reading(expected: Expected) -> dict[str, Any]:
    conditions = [*_finish(expected), *_failure(expected)]
    return {
        "type": "object",
        "required": ["text", "thinking", "calls", "data", "citations", "outcome", "finish"],
        "properties": {
            "text": expected.text.schema(),
            "thinking": expected.thinking.schema(),
            "calls": _calls(expected),
            "data": _data(expected),
            "citations": _citations(expected),
            "outcome": {"enum": list(expected.outcomes)},
        },
        **({"allOf": conditions} if conditions else {}),
    }


def _if_outcome(outcome: str, then: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"properties": {"outcome": {"const": outcome}}}, "then": then}


def _finish(expected: Expected) -> Iterator[dict[str, Any]]:
    """A completed run has a finish of the upstream's or none; without calls "other" as well."""
    if "completed" not in expected.outcomes:
        return
    if right := expected.finishes - {"other", *expected.wrong_finish}:
        vague = [] if "tool-calls" in right else ["other"]
        known = {"enum": [None, *vague, *sorted(right)]}
        yield _if_outcome("completed", {"properties": {"finish": known}})
    elif expected.wrong_finish:
        honest = {"not": {"enum": list(expected.wrong_finish)}}
        yield _if_outcome("completed", {"properties": {"finish": honest}})


def _failure(expected: Expected) -> Iterator[dict[str, Any]]:
    """A failure does not deny that the upstream ended its response as incomplete.

    One that refuses the stream is the library's own.
    """
    if expected.refused:
        own = {"not": {"const": BY_BINDING}}
        yield {"properties": {"error": {"properties": {"kind": own}}}}
    if "failed" in expected.outcomes and expected.upstream == "incomplete":
        unsaid = {"enum": [None, "error", *expected.wrong_finish]}
        said = {"type": "string", "pattern": SAYS_INCOMPLETE}
        denial = {"type": "object", "properties": {"kind": {"enum": [*DENIALS]}}}
        honest = [
            {"properties": {"finish": {"not": unsaid}}},
            {"properties": {"error": {"not": denial}}},
            *({"properties": {"error": {"properties": {name: said}}}} for name in _WORDED),
        ]
        yield _if_outcome("failed", {"anyOf": honest})


_WORDED = ("message", "code")


def _calls(expected: Expected) -> dict[str, Any]:
    ids = sorted({id_ for call in expected.calls for id_ in (call.id, call.bare_id) if id_})
    calls = [_call(call, ids) for call in expected.calls]
    if not calls:
        return {"type": "array", "maxItems": 0}
    free = expected.calls_may_be_lost or expected.cancelled
    pairs = list(zip(calls, expected.calls, strict=True))
    held: list[dict[str, Any]]
    bounds: dict[str, int] = {}
    if any(call.any_id for call in expected.calls):
        held = [{"contains": each} for each, due in pairs if not (free or due.optional)]
        bounds = {"minItems": len(held), "maxItems": len(calls)}
    else:
        held = [
            {"contains": each, "minContains": 0 if free or due.optional else 1, "maxContains": 1}
            for each, due in pairs
        ]
    every = {"allOf": held} if held else {}
    return {"type": "array", "items": {"anyOf": calls}, **bounds, **every}


def _call(call: ExpectedCall, others: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["id", "name", "input", "after"],
        "properties": {
            "id": _id(call, others),
            "name": {"const": call.name} if call.name else {"type": "string", "minLength": 1},
            "input": _input(call),
            "after": {
                "type": "integer",
                "minimum": max(call.earliest, call.declared),
                "maximum": call.latest,
            },
        },
    }


def _id(call: ExpectedCall, others: list[str]) -> dict[str, Any]:
    if call.any_id:
        return {"type": "string", "minLength": 1}
    if call.id:
        return {"enum": sorted({call.id, call.bare_id})}
    known = {"not": {"enum": others}} if others else {}
    return {"type": "string", "minLength": 1, **known}


def _input(call: ExpectedCall) -> dict[str, Any]:
    if not call.raw:
        return {"const": round_to_doubles(call.input)}
    text: dict[str, Any] = {"const": call.raw}
    held = text
    for _ in range(MAX_INPUT_DEPTH):
        held = {"anyOf": [text, *_containers_of(held)]}
    return held


def _containers_of(value: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Schemas of an object and of a list that contain a value with this schema."""
    return (
        {"type": "object", "not": {"additionalProperties": {"not": value}}},
        {"type": "array", "contains": value},
    )


def _citations(expected: Expected) -> dict[str, Any]:
    """The expected citations in order; titles and file names may be missing."""
    most = len(expected.citations)
    if not most:
        return {"type": "array", "maxItems": 0}
    return {
        "type": "array",
        "prefixItems": [_citation(citation) for citation in expected.citations],
        "minItems": 0 if expected.cancelled else most,
        "maxItems": most,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    fields = citation.fields()
    known = {name: {"const": value} for name, value in fields.items()}
    identity = [name for name in IDENTITY if name in fields]
    unknown = {name: False for name in IDENTITY if name not in fields}
    return {"type": "object", "required": identity, "properties": {**known, **unknown}}


def _data(expected: Expected) -> dict[str, Any]:
    """The expected data, each as often as expected, among other data, which is not judged."""
    if not expected.sendable:
        return {"type": "array"}
    required, each = Counter(expected.data), Counter((*expected.data, *expected.optional_data))
    counted = [
        {"contains": _datum(data), "minContains": 0 if expected.cancelled else required[data]}
        | {"maxContains": times}
        for data, times in each.items()
    ]
    items = {"anyOf": [*map(_datum, each), _other_data(expected)]}
    return {"type": "array", "items": items, **({"allOf": counted} if counted else {})}


def _datum(data: ExpectData) -> dict[str, Any]:
    return {"properties": {"mimeType": {"const": data.mime_type}, "data": {"const": data.data}}}


def _other_data(expected: Expected) -> dict[str, Any]:
    """Data with neither the media type nor the bytes of any that the scenario sends."""
    types = sorted({data.mime_type for data in expected.sendable})
    values = sorted({data.data for data in expected.sendable})
    return {"properties": {"mimeType": {"not": {"enum": types}}, "data": {"not": {"enum": values}}}}
