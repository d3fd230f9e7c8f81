"""``Profile``: a set of variations with which the mock imitates a real upstream."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Addition:
    """A field that an upstream sends and that the specification leaves open.

    - ``field`` is its name, ``about`` says where it is and what is in it.
    - ``shown_by`` are recordings: ``file:line`` in the test data, or the source of a published one.
    - ``documents`` describe it: a vendor's reference, or a client that reads it.
    """

    field: str
    about: str
    shown_by: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """A real upstream in one dialect.

    ``plays`` names its variations, in the order in which they are applied. A variation that does
    not fit a scenario is left out. Optional behaviour, such as Azure's asynchronous filter, is not
    imitated. ``additions`` are the fields that it has in other places than the specification, or
    more of; deviations from the specification are the exceptions of its contract. ``types`` are the
    types of events, items and annotations that it has and the specification does not.
    """

    name: str
    dialect: str
    title: str
    plays: tuple[str, ...]
    additions: tuple[Addition, ...] = ()
    types: frozenset[str] = frozenset()
