"""The groups of adapters in the baseline, and a process pool that plays their members."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

from tests.baseline import broken, suites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Members wait a lot, and each has processes or threads of its own.
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Group:
    """A group of adapters: the names of its members, and a function that plays one of them."""

    names: Callable[[], Sequence[str]]
    lines: Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Played:
    """A member's findings, as lines, and the time that it took; ``error`` says why it has none."""

    name: str
    lines: tuple[str, ...]
    seconds: float
    error: str = ""


GROUPS: dict[str, Group] = {
    "reference": Group(
        lambda: list(suites.references()), lambda name: suites.played(suites.references()[name])
    ),
    "broken": Group(lambda: list(broken.MEMBERS), broken.played),
    "bindings": Group(
        lambda: list(suites.bindings()), lambda name: suites.played(suites.bindings()[name])
    ),
}


def chosen(group: str, names: Sequence[str]) -> list[str]:
    """The members with these names, or all if there are none. Exits at an unknown name."""
    members = list(GROUPS[group].names())
    if strange := sorted(set(names) - set(members)):
        sys.exit(f"no member of {group!r} is called {strange[0]!r}")
    return [name for name in members if not names or name in names]


def play(group: str, names: Sequence[str]) -> Iterator[Played]:
    """Play members in parallel, in processes of their own, and yield them as they finish."""
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_played, group, name) for name in names]):
            yield done.result()


def _played(group: str, name: str) -> Played:
    began = time.monotonic()
    try:
        lines, error = tuple(GROUPS[group].lines(name)), ""
    except Exception as raised:
        lines, error = (), f"{type(raised).__name__}: {raised}"
    return Played(name, lines, time.monotonic() - began, error)
