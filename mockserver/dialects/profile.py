"""What a profile is to the mock: the variations under which it streams as one upstream does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """One upstream in one dialect.

    ``plays`` names the variations that are applied in this order. One that makes no sense for a
    scenario is left out. What a configuration may change, such as Azure's asynchronous filter, is
    not played.
    """

    name: str
    dialect: str
    title: str
    plays: tuple[str, ...]
