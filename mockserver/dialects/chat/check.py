"""Checks the scripts of the dialect ``chat`` for mistakes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mockserver.dialects.chat.chunks import CHUNK, DELTA, DONE, KINDS, choices, finish_reasons
from mockserver.dialects.chat.complete import complete
from mockserver.dialects.chat.fields import misspelt
from mockserver.dialects.check import MAX_PROBLEMS, instead_of, misspelt_problem, problems_of_sends
from mockserver.foundation.faults import Problem
from mockserver.foundation.json_fields import mapping, with_nulls
from mockserver.scenario.script import Says, Send, Sends
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from mockserver.foundation.faults import Place

LEGAL_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})


def check(script: Says | Sends, conduct: str, _types: Set[str]) -> list[Problem]:
    """The mistakes in a script, each with the place of its step."""
    if isinstance(script, Says):
        return []
    found = problems_of_sends(script, lambda step, place: _problems(step, place, conduct), _is_text)
    return [*islice(_shared(script), MAX_PROBLEMS), *found]


# What is in each chunk for itself.
_NEVER_SHARED = ("choices", "usage", "error")


def _shared(script: Sends) -> Iterator[Problem]:
    """The mistakes in the fields that all chunks share, at the place of the first one."""
    sent = zip(script.steps, script.places, strict=True)
    first = next(((step, place) for step, place in sent if isinstance(step, Send)), None)
    if first is None:
        return
    step, place = first
    for name in step.shared:
        if name in _NEVER_SHARED:
            hint = "write it in the steps that send it"
            yield Problem(f"'chunks' has {name!r}, which chunks do not share", place, hint)
    for path, meant in misspelt(CHUNK, step.shared):
        yield Problem(f"a chunk has no field {path[-1]!r}", place, f"did you mean {meant!r}?")


def _is_text(step: Send) -> bool:
    deltas = [mapping(choice.get("delta")) for choice in choices(dict(step.fields))]
    own = step.type == DELTA and step.fields.get("content")
    return bool(own) or any(delta.get("content") for delta in deltas)


def _problems(step: Send, place: Place, conduct: str) -> Iterator[Problem]:
    if step.type in (DONE, "done"):
        yield Problem(
            "[DONE] is sent by itself, behind the chunk that ends the response",
            place,
            "to send it elsewhere write: raw: |+ with the line data: [DONE] and an empty one",
        )
    elif step.known and step.type not in KINDS:
        otherwise = f"To send another object on purpose write: unknown: {{type: {step.type}, …}}"
        yield Problem(
            f"chat has no {step.type!r}; it has {', '.join(KINDS)}",
            place,
            instead_of(step.type, KINDS, otherwise),
        )
    elif not step.known and step.type in KINDS:
        yield Problem(f"chat has {step.type!r}", place, f"write it as it is: {step.type}: {{…}}")
    elif step.known:
        for path, meant in misspelt(step.type, with_nulls(step.fields, step.absent)):
            yield misspelt_problem(step.type, path, meant, place)
        if conduct == "legal":
            yield from _reasons(step, place)


def _reasons(step: Send, place: Place) -> Iterator[Problem]:
    for event in complete([step]):
        for reason in finish_reasons(event.data) if isinstance(event, Event) else ():
            if reason not in LEGAL_REASONS:
                meant = reason.replace("-", "_")
                first = f"write {meant!r}, or " if meant in LEGAL_REASONS else ""
                yield Problem(
                    f"an upstream that finishes with {reason!r} is not within its specification",
                    place,
                    f"{first}say 'conduct: deviation'",
                    tuple(name for name in ("reason", "finish_reason") if name in step.fields)[:1],
                )
