"""stream-lifecycle: created, queued perhaps, in progress, and only then the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import RESPONSE, walk
from mockserver.dialects.openresponses.events import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream

_STEPS = {
    "response.created": "created",
    "response.queued": "queued",
    "response.in_progress": "in_progress",
    **dict.fromkeys(TERMINAL, "end"),
}
# The state in which a response is after a step, whatever it was before
_THEN = {"created": "created", "queued": "queued", "in_progress": "working", "work": "working"}
_WHEN = {
    "": "as the first event of the stream",
    "created": "before response.in_progress",
    "queued": "when the response is queued",
    "working": "when the response is in progress",
}


def _check(stream: Stream) -> Iterator[Defect]:
    steps = [(step, event) for event in stream.events if (step := _step(event))]
    state = ""
    for step, event in steps:
        if walk(RESPONSE, [(step, event)], state).breach:
            yield _defect(state, step, event)
        state = _THEN.get(step, "over")


def _step(event: Event) -> str:
    if event.type in _STEPS:
        return _STEPS[event.type]
    return "work" if event.lane == "item" or event.is_child else ""


def _defect(state: str, step: str, event: Event) -> Defect:
    # That queued comes before in_progress is said in words; the rest is drawn and observed.
    back = state == "working" and step == "queued"
    return Defect(
        f"{event.type} comes {_WHEN[state]}",
        right="response.created, then response.queued or not, then response.in_progress, then "
        "the items",
        about=topics("start"),
        event=event.n,
        level="must" if back else "should",
        needs=topics("lost"),
    )


RULE = Rule(
    id="stream-lifecycle",
    holds="the first event is response.created; response.in_progress comes before any item, "
    "response.queued only before it",
    source="OpenResponses § streaming diagram; openai; observed",
    check=_check,
    level="should",
)
