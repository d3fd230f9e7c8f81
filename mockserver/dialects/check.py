"""Checks the steps of a ``sends`` script for mistakes, for all dialects."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mockserver.foundation.faults import Problem, nearest
from mockserver.foundation.shipped import schema
from mockserver.scenario.script import Checkpoint, Send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mockserver.foundation.faults import Place
    from mockserver.scenario.script import Sends, SendStep

MAX_PROBLEMS = 50


def instead_of(type_: str, known: Iterable[str], otherwise: str, meant: str = "") -> str:
    """A hint for an event that a dialect does not have: the nearest one, and how else to write it.

    ``meant`` is the event that another protocol calls so. A person may also have written a step of
    ``says``.
    """
    if type_ in schema("scenario")["$defs"]["say"]["properties"]:
        return f"{type_!r} is a step of 'says'. {otherwise}"
    meant = meant or next(iter(nearest(type_, known, most=1)), "")
    return f"did you mean {meant!r}? {otherwise}" if meant else otherwise


def misspelt_problem(type_: str, path: tuple[str | int, ...], meant: str, place: Place) -> Problem:
    """The mistake that a field of a step, at this path in it, is nearly a known one."""
    message = f"{type_} has no field {path[-1]!r}"
    return Problem(message, place, f"did you mean {meant!r}?", within=path)


def problems_of_sends(
    script: Sends,
    problems: Callable[[Send, Place], Iterable[Problem]],
    is_text: Callable[[Send], bool],
) -> list[Problem]:
    """The mistakes in a script, at most 50, each with the place of its step.

    ``problems`` are those of one event. A checkpoint must follow an event that ``is_text``.
    """
    return list(islice(_all(script, problems, is_text), MAX_PROBLEMS))


def _all(
    script: Sends,
    problems: Callable[[Send, Place], Iterable[Problem]],
    is_text: Callable[[Send], bool],
) -> Iterator[Problem]:
    before: SendStep | None = None
    for step, place in zip(script.steps, script.places, strict=True):
        if isinstance(step, Send):
            yield from problems(step, place)
        elif isinstance(step, Checkpoint) and not (isinstance(before, Send) and is_text(before)):
            yield Problem(
                f"the checkpoint {step.name!r} does not stand right after a text delta",
                place,
                "it waits until that text has come out, so there must be text to wait for",
            )
        before = step
