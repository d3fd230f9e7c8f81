"""Writes JSON values as YAML: on one line where they fit, else as a block.

Whatever a value holds, the text is plain data: no tags, no aliases, and every character that is
special or invisible in YAML stands in a quoted string.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 100

_MAX_KEY = 500
_MAX_DIGITS = 1000
# The values of events are below turns, sends, the step and its type.
_MAX_DEPTH = 32

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*", re.ASCII)
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
# Text such as JSON is easier to read in single quotes, which have no escapes.
_QUOTED = re.compile(r'["\\]')
_BASIC = 0xFFFF
_SURROGATE = re.compile("[\ud800-\udfff]")


def can_write(value: Any, depth: int = 0) -> bool:
    """Whether a scenario file can hold a JSON value: bounded depth, finite numbers, whole text."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(
            len(key) <= _MAX_KEY and can_write(key) and can_write(inner, depth + 1)
            for key, inner in value.items()
        )
    if isinstance(value, list):
        return all(can_write(inner, depth + 1) for inner in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() < 3 * _MAX_DIGITS
    return not (isinstance(value, str) and _SURROGATE.search(value))


def scalar(value: Any) -> str:
    """A JSON value that is no list and no object."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if _QUOTED.search(value) and "'" not in value and value.isprintable():
        return f"'{value}'"
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    """A character as it is, or as an escape if it cannot be seen."""
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\U{code:08x}" if code > _BASIC else f"\\u{code:04x}"


def inline(value: Any) -> str:
    """A JSON value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return scalar(value)


def block(value: Any, indent: int, used: int = 0) -> Iterator[str]:
    """The lines of a JSON value; ``used`` columns of the first line are taken.

    A value that does not fit on that line begins on the next one, with this indent.
    """
    line = inline(value)
    if not value or not isinstance(value, dict | list) or used + len(line) <= WIDTH:
        yield line
        return
    yield ""
    margin = " " * indent
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from entry(f"{margin}{scalar(key)}:", inner, indent + 2)
    else:
        for inner in value:
            yield from item(inner, indent)


def entry(head: str, value: Any, indent: int) -> Iterator[str]:
    """The lines of a key with its value; ``head`` is the key with its margin and colon."""
    first, *rest = block(value, indent, len(head) + 1)
    yield f"{head} {first}" if first else head
    yield from rest


def item(value: Any, indent: int) -> Iterator[str]:
    """The lines of an item of a list; a mapping of several lines begins beside the dash."""
    margin = " " * indent
    line = inline(value)
    is_step = isinstance(value, dict) and (len(value) == 1 or "absent" in value)
    fits = not value or not isinstance(value, dict | list) or indent + 2 + len(line) <= WIDTH
    if fits and not is_step:
        yield f"{margin}- {line}"
        return
    first, *rest = list(block(value, indent + 2, WIDTH))[1:]
    yield f"{margin}- {first.lstrip()}"
    yield from rest
