"""Checks the scripts of the dialect ``chat`` for mistakes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mockserver.dialects.chat.chunks import DELTA, DONE, KINDS, choices, finish_reasons
from mockserver.dialects.chat.complete import complete
from mockserver.dialects.chat.fields import misspelt
from mockserver.dialects.json_fields import mapping, with_nulls
from mockserver.faults import Problem, did_you_mean
from mockserver.scenario.script import Checkpoint, Says, Send, Sends
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.faults import Place
    from mockserver.scenario.script import SendStep

_MAX_PROBLEMS = 50

_LEGAL_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})


def check(script: Says | Sends, conduct: str) -> list[Problem]:
    """The mistakes in a script, at most 50, each with the place of its step if that is known."""
    return [] if isinstance(script, Says) else list(islice(_all(script, conduct), _MAX_PROBLEMS))


def _all(script: Sends, conduct: str) -> Iterator[Problem]:
    before: SendStep | None = None
    for step, place in zip(script.steps, script.places, strict=True):
        if isinstance(step, Send):
            yield from _problems(step, place, conduct)
        elif isinstance(step, Checkpoint) and not _is_text(before):
            yield Problem(
                f"the checkpoint {step.name!r} does not stand right after a text delta",
                place,
                "it waits until that text has come out, so there must be text to wait for",
            )
        before = step


def _is_text(step: SendStep | None) -> bool:
    if not isinstance(step, Send):
        return False
    deltas = [mapping(choice.get("delta")) for choice in choices(dict(step.fields))]
    own = step.type == DELTA and step.fields.get("content")
    return bool(own) or any(delta.get("content") for delta in deltas)


def _problems(step: Send, place: Place, conduct: str) -> Iterator[Problem]:
    if step.type == DONE:
        yield Problem(
            "[DONE] is sent by itself, behind the chunk that ends the response",
            place,
            "to send it elsewhere write: raw: |+ with the line data: [DONE] and an empty one",
        )
    elif step.known and step.type not in KINDS:
        hint = did_you_mean(step.type, KINDS)
        yield Problem(
            f"chat has no {step.type!r}; it has {', '.join(KINDS)}",
            place,
            f"{hint}{' ' if hint else ''}"
            f"To send another object on purpose write: unknown: {{type: {step.type}, …}}",
        )
    elif not step.known and step.type in KINDS:
        yield Problem(f"chat has {step.type!r}", place, f"write it as it is: {step.type}: {{…}}")
    elif step.known:
        for field, meant in misspelt(step.type, with_nulls(step.fields, step.absent)):
            yield Problem(f"{step.type} has no field {field!r}", place, f"did you mean {meant!r}?")
        if conduct == "legal":
            yield from _reasons(step, place)


def _reasons(step: Send, place: Place) -> Iterator[Problem]:
    for event in complete([step]):
        for reason in finish_reasons(event.data) if isinstance(event, Event) else ():
            if reason not in _LEGAL_REASONS:
                yield Problem(
                    f"an upstream that finishes with {reason!r} is not within its specification",
                    place,
                    "say 'conduct: deviation'",
                )
