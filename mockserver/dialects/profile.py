"""``Profile``: a set of variations with which the mock imitates a real upstream."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """A real upstream in one dialect.

    ``plays`` names its variations, in the order in which they are applied. A variation that does
    not fit a scenario is left out. Optional behaviour, such as Azure's asynchronous filter, is not
    imitated.
    """

    name: str
    dialect: str
    title: str
    plays: tuple[str, ...]
