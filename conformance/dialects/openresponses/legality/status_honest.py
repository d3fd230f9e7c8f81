"""status-honest: the response says the same of itself as the event that carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from mockserver.dialects.openresponses.events import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream

_STATUS = {
    "response.created": ("in_progress", "queued"),
    "response.queued": ("queued",),
    "response.in_progress": ("in_progress",),
    "response.completed": ("completed",),
    "response.failed": ("failed",),
    "response.incomplete": ("incomplete",),
}

# What must be told at an end (True), and what must not (False)
_TOLD = {
    "response.completed": {
        "error": False,
        "incomplete_details": False,
        "completed_at": True,
        "usage": True,
    },
    "response.failed": {"error": True},
    "response.incomplete": {"incomplete_details": True},
}


def _check(stream: Stream) -> Iterator[Defect]:
    for event in stream.events:
        if event.type in _STATUS and event.response:
            yield from _status(event)
            yield from _begun(event)
            yield from _ended(event)


def _status(event: Event) -> Iterator[Defect]:
    status, right = event.response.get("status"), _STATUS[event.type]
    if isinstance(status, str) and status not in right:
        yield Defect(
            f"{event.type} carries a response whose status is {status!r}",
            right=f"the status {' or '.join(map(repr, right))}",
            about=topics(f"status:{event.n}"),
            event=event.n,
        )


def _begun(event: Event) -> Iterator[Defect]:
    """A response that has only begun has neither output nor usage."""
    early = [name for name in ("output", "usage") if event.response.get(name)]
    if event.type not in TERMINAL and early:
        yield Defect(
            f"{event.type} carries a response that already has {' and '.join(early)}",
            right="an empty output and no usage before the end",
            about=topics(f"status:{event.n}"),
            event=event.n,
            level="should",
        )


def _ended(event: Event) -> Iterator[Defect]:
    told = _TOLD.get(event.type, {})
    # A field that is not there at all is for the schema to name.
    wrong = [
        f"{name} is {'null' if wanted else 'set'}"
        for name, wanted in told.items()
        if name in event.response and (event.response[name] is not None) != wanted
    ]
    if wrong:
        yield Defect(
            f"{event.type} carries a response whose {', '.join(wrong)}",
            right="; ".join(
                f"{name} {'set' if wanted else 'null'}" for name, wanted in told.items()
            ),
            about=topics(f"told:{event.n}"),
            event=event.n,
            level="should",
            needs=topics(f"status:{event.n}"),
        )


RULE = Rule(
    id="status-honest",
    holds="the status is that of the event; a failure tells its error, a cut its reason, an end "
    "its time and usage",
    source="OpenResponses § streaming diagram; OpenResponses § schema; observed",
    check=_check,
)
