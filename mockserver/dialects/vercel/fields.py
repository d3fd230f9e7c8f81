"""The fields that parts have, for finding misspelt ones.

Those of other generations are known here: sending a stale one is what a scenario may be about.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import SEED, USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STALE = frozenset(astuple(NAMES[SEED])) - frozenset(astuple(NAMES[USUAL]))
_OWN = frozenset({"reason"})


def misspelt(dialect: str, type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each field of a part that looks like another one there, with that other one."""
    own = fields.keys() - _STALE - _OWN
    yield from contract.misspelt(sorted(own), f"events/{dialect}", f"part:{type_}")
