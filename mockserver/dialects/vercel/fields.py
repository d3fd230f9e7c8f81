"""Finds misspelt field names in the parts of scenarios.

Fields of other generations are not reported, since scenarios may send them on purpose.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import SEED, USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OTHER_GENERATIONS = frozenset(astuple(NAMES[SEED])) - frozenset(astuple(NAMES[USUAL]))
_OWN = frozenset({"reason"})


def misspelt(dialect: str, type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each unknown field of a part, with the similar known field."""
    own = fields.keys() - _OTHER_GENERATIONS - _OWN
    yield from contract.misspelt(sorted(own), f"events/{dialect}", f"part:{type_}")
