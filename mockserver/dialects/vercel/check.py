"""Checks the scripts of the AI SDK's dialects for mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.dialects.check import instead_of, misspelt_problem, problems_of_sends
from mockserver.dialects.vercel.fields import misspelt, of_others
from mockserver.dialects.vercel.parts import (
    FULLSTREAM,
    GATEWAY,
    KNOWN,
    SEED,
    UI,
    USUAL,
    generations,
    is_known,
)
from mockserver.foundation.faults import Problem
from mockserver.foundation.json_fields import with_nulls
from mockserver.scenario.script import Says, Send, Sends

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from mockserver.foundation.faults import Place

# By dialect: the parts that other dialects of the AI SDK have for the same.
_OTHER_NAMES = {
    GATEWAY: {
        "start": "stream-start",
        "tool-input-available": "tool-call",
        "tool-output-available": "tool-result",
        "tool-output-error": "tool-result",
        "source-url": "source",
        "source-document": "source",
    },
    UI: {
        "stream-start": "start",
        "tool-call": "tool-input-available",
        "tool-result": "tool-output-available",
        "tool-error": "tool-output-error",
        "source": "source-url",
    },
}

_TEXT_TYPES = frozenset({"text-delta", "text"})


def check(dialect: str, script: Says | Sends, conduct: str, _types: Set[str]) -> list[Problem]:
    """The mistakes in a script, each with the place of its step; none in a `says`."""
    if isinstance(script, Says):
        return []
    strict = dialect == FULLSTREAM and conduct == "legal"
    generation = script.generation or USUAL

    def problems(step: Send, place: Place) -> Iterator[Problem]:
        yield from _problems(dialect, step, place)
        if strict:
            yield from _generation(step, generation, place)
        if conduct == "legal" and step.known and generation != SEED:
            yield from _of_others(dialect, generation, step, place)

    return problems_of_sends(script, problems, lambda step: step.type in _TEXT_TYPES)


def _problems(dialect: str, step: Send, place: Place) -> Iterator[Problem]:
    if step.known and not is_known(dialect, step.type):
        otherwise = f"To send another part on purpose write: unknown: {{type: {step.type}, …}}"
        meant = _OTHER_NAMES.get(dialect, {}).get(step.type, "")
        hint = instead_of(step.type, KNOWN[dialect], otherwise, meant)
        yield Problem(f"{dialect} has no {step.type!r}", place, hint)
    elif not step.known and is_known(dialect, step.type):
        yield Problem(f"{dialect} has {step.type!r}", place, f"write it as it is: {step.type}: …")
    elif step.known:
        written = with_nulls(step.fields, step.absent)
        for field, meant in misspelt(dialect, step.type, written):
            yield misspelt_problem(step.type, (field,), meant, place)


def _of_others(dialect: str, generation: str, step: Send, place: Place) -> Iterator[Problem]:
    """Fields under the names that they have in another dialect or generation."""
    column = generation if dialect == FULLSTREAM else dialect
    for field, own in of_others(column, step.type, with_nulls(step.fields, step.absent)):
        yield Problem(
            f"{step.type} has no field {field!r} here",
            place,
            f"write {own!r}, or say 'conduct: deviation' to send it on purpose",
            within=(field,),
        )


def _generation(step: Send, generation: str, place: Place) -> Iterator[Problem]:
    """A mistake if the part's type does not exist in the generation of the script."""
    have = generations(step.type)
    if step.known and have and generation not in have:
        yield Problem(
            f"fullStream of {generation} has no {step.type!r}; {', '.join(sorted(have))} have it",
            place,
            "name the generation that it is written in, such as generation: v4, or say "
            "'conduct: deviation'",
        )
