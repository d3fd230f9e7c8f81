"""The shapes of errors in OpenResponses streams, and their sequence numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape
from mockserver.scenario.script import Send
from mockserver.wire.event import Event, Step, events_in

_ERROR = {"message": MESSAGE, "code": CODE}
_NESTED = Send("error", {"error": _ERROR})
_FAILED = Send("response.failed", {"response": {"error": _ERROR}})

ERRORS: Mapping[str, ErrorShape] = {
    "failed": ErrorShape("response.failed alone", (_FAILED,)),
    "error": ErrorShape("an error event alone", (_NESTED,)),
    "error-failed": ErrorShape("an error event, then response.failed", (_NESTED, _FAILED)),
    "flat": ErrorShape(
        "an error event with its message at the top level, as in OpenAI's types",
        (Send("error", {**_ERROR, "param": None}, absent=(("error",),)), _FAILED),
    ),
    "string": ErrorShape(
        "an error event whose error is a string", (Send("error", {"error": MESSAGE}),), code=False
    ),
    "incomplete": ErrorShape(
        "response.incomplete",
        (
            Send(
                "response.incomplete",
                {"response": {"incomplete_details": {"reason": "max_output_tokens"}}},
            ),
        ),
        outcome="incomplete",
    ),
}


def numbered(steps: Sequence[Step], added: Sequence[Step]) -> Sequence[Step]:
    """The added steps, with sequence numbers that go on from those of ``steps``."""
    numbers = (event.data.get("sequence_number", -1) for event in events_in(steps))
    begin = max(numbers, default=-1) + 1
    return [
        replace(step, data={**step.data, "sequence_number": begin + n})
        if isinstance(step, Event)
        else step
        for n, step in enumerate(added)
    ]
