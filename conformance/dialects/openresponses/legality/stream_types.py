"""stream-types: every event has the fields that its type requires."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.finding import Rule
from conformance.dialects.departures import Departure, defects, departure
from mockserver.contract import errors_of
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.openresponses.stream import Stream

_CONTRACT = "events/openresponses"
_RIGHT = "the event as the schema of its type has it"


def _check(stream: Stream) -> Iterator[Defect]:
    yield from defects(stream.sent, stream.lost, _problem, _RIGHT)


def _problem(data: Any) -> Departure | None:
    type_ = data.get("type") if isinstance(data, dict) else None
    errors = list(errors_of(_validator(type_ if isinstance(type_, str) else ""), data))
    if not errors and type_ == "error" and "error" not in data:
        flat = "'error' is a required property (only OpenAI's own types are flat)"
        return Departure(frozenset({("$", flat)}), flat)
    return departure(errors)


@cache
def _validator(type_: str) -> Draft202012Validator:
    """The definition of one type is a tenth of the work of the whole contract."""
    contract = schema(_CONTRACT)
    name = f"event:{type_}"
    if name not in contract["$defs"]:
        return Draft202012Validator(contract)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": contract["$defs"]})


RULE = Rule(
    id="stream-types",
    holds="every event has what the schema of its type requires, a sequence number always",
    source="OpenResponses § schema",
    check=_check,
)
