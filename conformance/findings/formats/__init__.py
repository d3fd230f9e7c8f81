"""Formatters for the values of findings, by the names that templates have for them.

Each takes a value and the most characters that a text in it may have (None for its whole length).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.findings.formats import contents, endings, texts

_SHOWN_UPDATE = 60
_SHOWN_ARGUMENTS = 40
_LENGTHS = (40, 80, 120, 160, 200)

FORMATS: dict[str, Callable[[Any, int | None], str]] = {
    "json": texts.write_json,
    "middle": texts.clip_middle,
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
    "arguments": contents.write_arguments,
    "quoted-arguments": partial(texts.quote_start, shown=_SHOWN_ARGUMENTS),
    "call": contents.write_call,
    "calls": contents.write_calls,
    "input": contents.write_input,
    "declared": endings.write_declared,
    "or-failure": endings.write_failure_instead,
    "ended": endings.write_ended,
    "data": contents.write_data,
    "data-start": texts.take_start,
    "right-data": contents.write_right_data,
    "types": contents.write_types,
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
    "piece": contents.write_piece,
    "item": contents.write_item,
    "difference": contents.write_difference,
    "schema": contents.write_schema_errors,
    "set": contents.write_set,
    "use": contents.write_use,
    "tool-result": contents.write_tool_result,
    "annotations": contents.write_annotations,
    "quotes": texts.quote_each,
    **{f"first-{n}": partial(texts.write_first, length=n) for n in _LENGTHS},
    **{f"quoted-{n}": partial(texts.quote_first, length=n) for n in _LENGTHS},
    **{f"line-{n}": partial(texts.write_line, length=n) for n in _LENGTHS},
    **{f"json-{n}": partial(texts.write_json_first, length=n) for n in _LENGTHS},
}
"""The formatters by the names that templates have for them."""
