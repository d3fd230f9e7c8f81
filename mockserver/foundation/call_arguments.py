"""Reads the arguments of tool calls, and compares them.

An upstream sends arguments as a text, which should be a JSON object. Every part of the project that
reads arguments reads them here, so that all agree on the kind and the value of any text (or of a
JSON value that is sent in place of a text):

| kind              | what it is                                                     | value       |
|-------------------|----------------------------------------------------------------|-------------|
| blank             | empty, or only JSON's white space: a call without arguments    | {}          |
| object            | a JSON object                                                  | the object  |
| not an object     | any other JSON value, ``null`` and twice-encoded JSON included | that value  |
| not JSON          | a text that RFC 8259 has no grammar for, such as ``NaN``       | as given    |
| beyond comparison | nested deeper than 512 levels, or a number that fits no double | as given    |

RFC 8259 lets a reader choose what to do with members of the same name (§ 4: here the last one
counts), with a byte order mark (§ 8.1: not JSON), with lone surrogates (§ 8.2: they stay), with
numbers that no IEEE double can hold (§ 6) and with deep values (§ 9: beyond comparison, both). A
text that is nested too deep is not examined further, so it may be cut off. Arguments that are
beyond comparison, or not JSON, are equal if their texts are equal.

``node/lib/arguments.js`` reads arguments the same way; both are tested with the vectors in
``tests/foundation/call-arguments.json``.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from mockserver.foundation.json_text import is_deeper, may_be_deeper, reject_constant

Kind = Literal["blank", "object", "not an object", "not JSON", "beyond comparison"]

MOST_DEPTH = 512
"""The most levels of nested lists and objects that are compared as JSON."""

_LEVELS = {"[": 1, "{": 1, "]": -1, "}": -1}
_NO_BRACKETS = re.compile(r"[^\[\]{}]+")
# The largest double has 309 digits before its point.
_MOST_DIGITS = 400


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments that were read: their kind, and the value that they are compared by."""

    kind: Kind
    value: Any

    @property
    def input(self) -> dict[str, Any] | None:
        """The object that a function is called with; None if the arguments are not an object."""
        return self.value if self.kind in ("blank", "object") else None

    @property
    def usable(self) -> bool:
        """Whether a host can call a function with them; true also of the kind beyond comparison."""
        return self.kind in ("blank", "object", "beyond comparison")

    @property
    def twice_encoded(self) -> bool:
        """Whether they are a JSON string whose content is the text of a JSON object."""
        is_text = self.kind == "not an object" and isinstance(self.value, str)
        return is_text and read_arguments(self.value).kind == "object"


def read_arguments(given: Any) -> Arguments:
    """Read arguments from their JSON text, or from a value that was sent in place of a text."""
    if not isinstance(given, str):
        return read_value(given)
    if is_blank(given):
        return Arguments("blank", {})
    try:
        value = json.loads(given, parse_int=_integer, parse_constant=reject_constant)
    except RecursionError:
        return Arguments("beyond comparison", given)
    except ValueError as error:
        too_deep = _nests_too_deep(_outside_of_the_last_string(given, error))
        return Arguments("beyond comparison" if too_deep else "not JSON", given)
    read = read_value(value)
    if read.kind == "beyond comparison" or _nests_too_deep(given):
        return Arguments("beyond comparison", given)
    return read


def read_value(value: Any) -> Arguments:
    """Read arguments that are parsed already; a string is a JSON string and is not parsed."""
    if is_deeper(value, MOST_DEPTH) or not all(map(_fits_a_double, _scalars(value))):
        return Arguments("beyond comparison", value)
    return Arguments("object" if isinstance(value, dict) else "not an object", value)


def is_blank(text: str) -> bool:
    """Whether a text is empty, or only white space (RFC 8259 § 2)."""
    return not text.strip(" \t\n\r")


def same_arguments(one: Any, other: Any) -> bool:
    """Whether two calls have the same arguments, apart from their formatting."""
    a, b = read_arguments(one), read_arguments(other)
    if a.input is not None and b.input is not None:
        return same_json(a.input, b.input)
    return a.kind == b.kind and same_json(a.value, b.value)


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, their numbers taken as IEEE doubles (RFC 8259 § 6).

    Hosts that read numbers as doubles cannot do better, so ``1.0`` is ``1``, ``-0`` is ``0``, and
    2^53 + 1 is 2^53. Texts are compared by their code points. ``true`` is not ``1``.
    """
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            if a.keys() != b.keys():
                return False
            pairs.extend((inner, b[name]) for name, inner in a.items())
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) is not isinstance(b, bool) or _double(a) != _double(b):
            return False
    return True


def round_to_doubles(value: Any) -> Any:
    """A copy of a JSON value with every number rounded to an IEEE double.

    A double with an integer value becomes an ``int``.
    """
    copied = [value]
    unfinished: list[Any] = [copied]
    while unfinished:
        outer = unfinished.pop()
        for key in outer if isinstance(outer, dict) else range(len(outer)):
            inner = outer[key]
            if isinstance(inner, Mapping):
                outer[key] = dict(inner)
                unfinished.append(outer[key])
            elif isinstance(inner, list | tuple):
                outer[key] = list(inner)
                unfinished.append(outer[key])
            else:
                outer[key] = _double(inner)
    return copied[0]


def _outside_of_the_last_string(text: str, error: ValueError) -> str:
    """The text up to its unterminated string, if the error is about one.

    This keeps reading fast after each delta of a long string, which may be thousands.
    """
    if isinstance(error, json.JSONDecodeError) and error.msg.startswith("Unterminated string"):
        return text[: error.pos]
    return text


def _nests_too_deep(text: str) -> bool:
    """Whether brackets outside of strings are nested in more than ``MOST_DEPTH`` levels."""
    if not may_be_deeper(text, MOST_DEPTH):
        return False
    without_escapes = text.replace("\\\\", "").replace('\\"', "")
    outside = "".join(without_escapes.split('"')[::2])
    brackets = _NO_BRACKETS.sub("", outside)
    return max(accumulate(map(_LEVELS.__getitem__, brackets)), default=0) > MOST_DEPTH


def _integer(digits: str) -> int | float:
    # Python refuses to read very long integers, and takes its time for long ones.
    return int(digits) if len(digits) <= _MOST_DIGITS else math.inf


def _scalars(value: Any) -> Iterator[Any]:
    inside = [value]
    while inside:
        each = inside.pop()
        if isinstance(each, dict):
            inside.extend(each.values())
        elif isinstance(each, list):
            inside.extend(each)
        else:
            yield each


def _fits_a_double(value: Any) -> bool:
    if not isinstance(value, int | float):
        return True
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _double(value: Any) -> Any:
    """A number rounded to an IEEE double, if one can hold it; any other value unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        number = float(value)
    except OverflowError:
        return value
    return int(number) if math.isfinite(number) and number == int(number) else number
