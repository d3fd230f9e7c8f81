"""Changes of the data lines of events, such as JSON in several lines, split between two tokens."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockserver.wire.framing import Block, ChangeBlock, Field

# Strings are matched so that the commas inside them are not.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,', re.DOTALL)


def change_data(change: Callable[[Field], tuple[Field, ...]]) -> ChangeBlock:
    """A change of each data line of an event to the lines that ``change`` returns.

    The closing data is not JSON, so it stays.
    """

    def changed(block: Block) -> Block:
        if block.kind != "event":
            return block
        lines = (change(field) if field.name == "data" else (field,) for field in block.fields)
        return replace(block, fields=tuple(field for some in lines for field in some))

    return changed


def _in_several_lines(field: Field) -> tuple[Field, ...]:
    """The field as up to four lines: split at both braces, and after the comma in the middle."""
    text = field.value or ""
    if not (text.startswith("{") and text.endswith("}")):
        return (field,)
    commas = [found.end() for found in _STRING_OR_COMMA.finditer(text) if found[0] == ","]
    middle = commas[len(commas) // 2 : len(commas) // 2 + 1]
    places = sorted({0, 1, *middle, len(text) - 1, len(text)})
    return tuple(replace(field, value=text[a:b]) for a, b in pairwise(places))


SPLIT_DATA = change_data(_in_several_lines)
"""A change of blocks that writes the JSON of an event in several data lines."""
