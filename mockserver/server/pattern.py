"""Matches texts against the regular expressions of an untrusted client, and makes matching texts.

jsonschema-rs matches them, in bounded time; the time of ``re`` may double with each character.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from itertools import chain
from typing import Any

from mockserver.foundation.schemas import jsonschema_rs

MAX_TEXT = 1000
_parser, _compiler = import_module("re._parser"), import_module("re._compiler")


class NoExample(Exception):
    """No value was found, or the schema cannot be used; the message says why."""


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a pattern matches somewhere in a text, in bounded time."""
    if jsonschema_rs is None:
        raise NoExample("it has a pattern, and jsonschema-rs is not installed")
    limits = jsonschema_rs.FancyRegexOptions(backtrack_limit=20_000, size_limit=1 << 20)
    try:
        validator = jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=limits)
    except ValueError:
        raise NoExample(f"the pattern {pattern!r} cannot be read") from None
    matches: Callable[[str], bool] = validator.is_valid
    return matches


def texts(pattern: str) -> Iterator[str]:
    """Texts that a pattern probably matches, the shortest first; lookahead is ignored.

    There are none for a long pattern, and for syntax that Python does not have.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            items = _parser.parse(pattern if len(pattern) < MAX_TEXT else "(")
    except re.error:
        return
    for longer in (0, 1, 2, 4, 8, 16, 64):
        yield _text(items, longer)


def _text(items: Any, longer: int) -> str:
    """A text in which each repeated item comes ``longer`` times more than it must."""
    text, left = "", MAX_TEXT
    for item in items:
        times = 1
        match str(item[0]), item[1]:
            case (("MAX_REPEAT" | "MIN_REPEAT"), (least, limit, repeated)):
                one = _text(repeated, longer)
                times = max(least, min(least + longer, limit, left // max(len(one), 1)))
            case "BRANCH", (_, options):
                one = _text(options[longer % len(options)], longer)
            case "SUBPATTERN", (*_, group):
                one = _text(group, longer)
            case (("LITERAL" | "NOT_LITERAL" | "ANY" | "IN"), _):
                one = _char(item)
            case _:
                one = ""
        left -= len(one) * times
        if left < 0:
            raise NoExample(f"a pattern demands more than {MAX_TEXT:,} characters")
        text += one * times
    return text


def _char(item: Any) -> str:
    """The first character that an item of a pattern matches: a common one, else any."""
    matches = _compiler.compile(_parser.SubPattern(_parser.State(), [item])).match
    if char := next(filter(matches, chain("a1A0 -_.,:/@#", map(chr, range(0x21, 0x600)))), ""):
        return char
    raise NoExample("no character was found for a class of a pattern")
