"""``Profile``: a set of variations with which the mock imitates a real upstream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from mockserver.scenario.source import LOADER


@dataclass(frozen=True, slots=True)
class Addition:
    """A field that an upstream sends and that the specification leaves open.

    - ``field`` is its name, ``about`` says where it is and what is in it.
    - ``shown_by`` are recordings: ``file:line`` in the test data, or the source of a published one.
    - ``documents`` describe it: a vendor's reference, or a client that reads it.
    """

    field: str
    about: str
    shown_by: Sequence[str] = ()
    documents: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """A real upstream in one dialect.

    ``plays`` names its variations, in the order in which they are applied. A variation that does
    not fit a scenario is left out. Optional behaviour, such as Azure's asynchronous filter, is not
    imitated. ``types`` are the types of events, items and annotations that it has and the
    specification does not.

    What the profile ``inherits`` from may send, this upstream may send, too. ``marks`` are fields
    that no other upstream sends, and ``models`` how the names of its models begin: by these its
    streams are told from those of others.
    """

    name: str
    dialect: str
    title: str
    plays: tuple[str, ...]
    types: frozenset[str] = frozenset()
    inherits: str = ""
    marks: frozenset[str] = frozenset()
    models: tuple[str, ...] = ()

    @property
    def additions(self) -> tuple[Addition, ...]:
        """The fields that it has in other places than the specification, or more of.

        They stand in ``additions.yaml`` of its dialect. Deviations from the specification are the
        exceptions of its contract.
        """
        return tuple(Addition(**each) for each in _table(self.dialect).get(self.name, ()))


@cache
def _table(dialect: str) -> Mapping[str, Any]:
    """The additions of a dialect, by profile; empty if it has none."""
    path = Path(__file__).with_name(dialect) / "additions.yaml"
    if not path.is_file():
        return {}
    read: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=LOADER)  # noqa: S506
    return read
