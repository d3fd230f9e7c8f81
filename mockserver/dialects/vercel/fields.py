"""Finds misspelt field names in the parts of scenarios.

Fields of other generations are not reported, since scenarios may send them on purpose.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.parts import SEED, USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OTHER_GENERATIONS = frozenset(astuple(NAMES[SEED])) - frozenset(astuple(NAMES[USUAL]))
_OWN = frozenset({"reason"})


# The fields, by their names in the table, that parts have under different names.
_OF_PART: Mapping[str, tuple[str, ...]] = {
    "text-delta": ("text_delta",),
    "reasoning-delta": ("reasoning_delta",),
    "tool-input-start": ("input_id",),
    "tool-input-delta": ("input_id", "input_delta"),
    "tool-input-end": ("input_id",),
    "tool-call": ("call_id", "input"),
    "tool-input-available": ("call_id", "input"),
    "tool-result": ("call_id", "output"),
    "tool-output-available": ("call_id", "output"),
    "file": ("media_type",),
    "error": ("error",),
}


def of_others(column: str, type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each field under its name in another dialect or generation, with its name in this one.

    ``column`` is that of ``NAMES``. A field that is given under its own name, too, is left out.
    """
    for field in _OF_PART.get(type_, ()):
        own = getattr(NAMES[column], field)
        others = [name for name in names(field) if name in fields and name != own]
        if own and own not in fields:
            yield from ((name, own) for name in others)


def misspelt(dialect: str, type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each unknown field of a part, with the similar known field."""
    own = fields.keys() - _OTHER_GENERATIONS - _OWN
    yield from contract.misspelt(sorted(own), f"events/{dialect}", f"part:{type_}")
