"""Formatters for the values of findings, by the names that templates have for them.

Each takes a value and the most characters that a text in it may have (None for its whole length).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.findings.formats import endings, texts
from conformance.findings.formats.texts import (
    join_list,
    join_or,
    quote,
    quote_start,
    take_start,
    write_json,
)
from conformance.findings.values import (
    CallValue,
    DataValue,
    ItemValue,
    PieceValue,
    RightData,
    SchemaError,
    TextDifference,
    ToolResultValue,
    ToolUse,
)

_SHOWN_UPDATE = 60
_LENGTHS = (40, 80, 120, 160, 200)
_MOST_LISTED = 3
_SHOWN_ARGUMENTS = 40
_SHOWN_ERROR = 120


def write_call(call: CallValue, most: int | None = None) -> str:
    """A call as ``name(input)``, with its id if it has one."""
    id_ = f" with id {call.id!r}" if call.id else ""
    return f"{write_input(call, most)}{id_}"


def write_calls(calls: Sequence[CallValue], most: int | None = None) -> str:
    """Calls as a list of ``name(input)``."""
    return join_list([write_call(call, most) for call in calls])


def write_input(call: CallValue, most: int | None = None) -> str:
    """A call as ``name(input)``."""
    return f"{call.name}({write_json(call.input, most)})"


def write_arguments(arguments: Any, most: int | None = None) -> str:
    """The beginning of a call's arguments, which are a text or a JSON value."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return take_start(text, most, shown=_SHOWN_ARGUMENTS)


def write_use(use: ToolUse, most: int | None = None) -> str:
    """A call of one of the upstream's own tools, by its id and its tool."""
    return f"{quote(use.id, most)} ({use.tool})"


def write_tool_result(result: ToolResultValue, most: int | None = None) -> str:
    """The right result of a call of one of the upstream's own tools."""
    if result.failed:
        return (
            f"the failure of {write_use(result.use, most)}: {join_list(result.error) or 'an error'}"
        )
    return f"a result with what was sent: {write_arguments(result.value, most)}"


def write_annotations(targets: Sequence[str], most: int | None = None) -> str:
    """Annotations by what they are of."""
    return join_list([f"an annotation of {quote(target, most)}" for target in targets])


def write_data(data: DataValue, most: int | None = None) -> str:
    """Data by its media type and its beginning."""
    return f"{data.mime_type} {take_start(data.data, most)}"


def write_right_data(right: RightData, most: int | None = None) -> str:
    """The data that should be emitted, and the data that may be."""
    clauses = {"each once": right.due, "at most once": right.optional}
    words = [
        f"{often}: {', '.join(write_data(each, most) for each in data)}"
        for often, data in clauses.items()
        if data
    ]
    return "; ".join(words) or "no such part"


def write_piece(piece: PieceValue, most: int | None = None) -> str:
    """The beginning of a part's text, in quotes, or else the type of the part."""
    return piece.type if piece.text is None else quote_start(piece.text, most)


def write_item(item: ItemValue, _most: int | None = None) -> str:
    """An output item with its type, id and index, if it has an id."""
    if not item.id:
        return f"item {item.index}"
    return f"the {item.type or 'item'} {item.id!r} (index {item.index})"


def write_difference(difference: TextDifference, most: int | None = None) -> str:
    """How two versions of a text begin to differ."""
    versions = (
        (difference.source, difference.text),
        (difference.other_source, difference.other_text),
    )
    return " where ".join(
        f"{source or 'the sum of the deltas'} {_write_rest(rest, difference.at, most)}"
        for source, rest in versions
    )


def _write_rest(rest: str, at: int, most: int | None) -> str:
    if not rest:
        return f"ends after {at} characters"
    shown = quote_start(rest, most)
    return f"goes on after {at} characters with {shown}" if at else f"begins with {shown}"


def write_schema_errors(errors: Sequence[SchemaError], most: int | None = None) -> str:
    """What a schema refuses, by place; only the first places."""
    by_place: dict[str, list[str]] = {}
    for error in errors:
        says = error.says[: min(_SHOWN_ERROR, most or _SHOWN_ERROR)]
        by_place.setdefault(error.place, []).append(says)
    places = [
        f"{place}: {', '.join(said)}" if place else ", ".join(said)
        for place, said in by_place.items()
    ]
    more = f"; and {len(places) - _MOST_LISTED} more" if len(places) > _MOST_LISTED else ""
    return "; ".join(places[:_MOST_LISTED]) + more


def write_set(fields: Mapping[str, bool], _most: int | None = None) -> str:
    """Which fields are set, and which are null."""
    return ", ".join(f"{name} is {'set' if is_set else 'null'}" for name, is_set in fields.items())


_TYPES = {
    "string": "a string",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}


def write_types(types: Sequence[str], _most: int | None = None) -> str:
    """JSON types as a list that ends with ``or``."""
    return join_or([_TYPES[each] for each in types])


FORMATS: dict[str, Callable[[Any, int | None], str]] = {
    "json": texts.write_json,
    "events": texts.list_events,
    "list": texts.join_list,
    "numbers": lambda numbers, _most: str(list(numbers)),
    "ratio": lambda ratio, _most: f"{ratio:.2f}",
    "and": texts.join_and,
    "or": texts.join_or,
    "all-quoted": texts.quote_all,
    "either": texts.quote_either,
    "start": texts.quote_start,
    "update": partial(texts.quote_start, shown=_SHOWN_UPDATE),
    "around": texts.quote_around,
    "arguments": write_arguments,
    "quoted-arguments": partial(texts.quote_start, shown=_SHOWN_ARGUMENTS),
    "call": write_call,
    "calls": write_calls,
    "input": write_input,
    "declared": endings.write_declared,
    "or-failure": endings.write_failure_instead,
    "ended": endings.write_ended,
    "data": write_data,
    "data-start": texts.take_start,
    "right-data": write_right_data,
    "types": write_types,
    "well-until": endings.write_well_until,
    "suspects": endings.write_suspects,
    "endings": endings.write_endings,
    "said": texts.write_said,
    "error": endings.write_error,
    "crash": endings.write_crash,
    "event": endings.write_event,
    "upstream": endings.write_upstream,
    "despite": endings.write_despite,
    "due-ending": endings.write_due_ending,
    "outside-of-runs": endings.write_outside_of_runs,
    "details": texts.write_details,
    "piece": write_piece,
    "item": write_item,
    "difference": write_difference,
    "schema": write_schema_errors,
    "set": write_set,
    "use": write_use,
    "tool-result": write_tool_result,
    "annotations": write_annotations,
    "quotes": texts.quote_each,
    **{f"first-{n}": partial(texts.write_first, length=n) for n in _LENGTHS},
    **{f"quoted-{n}": partial(texts.quote_first, length=n) for n in _LENGTHS},
    **{f"line-{n}": partial(texts.write_line, length=n) for n in _LENGTHS},
    **{f"json-{n}": partial(texts.write_json_first, length=n) for n in _LENGTHS},
}
"""The formatters by the names that templates have for them."""
