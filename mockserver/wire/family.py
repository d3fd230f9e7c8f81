"""``Family``: variations that have a parameter, such as ``cut:17`` and ``cut:character``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mockserver.wire.variation import Variation


@dataclass(frozen=True, slots=True)
class Family:
    """The variations that are called ``name:PARAMETER``.

    ``parameters`` says in words which there are. ``named`` are those that are listed, and ``make``
    makes any other from its parameter, or returns None if it does not know it.
    """

    name: str
    parameters: str
    named: tuple[Variation, ...]
    make: Callable[[str], Variation | None]
