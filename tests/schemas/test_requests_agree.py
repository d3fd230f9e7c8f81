"""The contract and the published schema of a request agree about every field.

Each accepted request is changed in every place in turn. All differences are listed here.
"""

import json
from typing import Any

import pytest

from mockserver.foundation.schemas import accepts
from tests.data import needs_data
from tests.schemas import changed, dotted, ours, places, published
from tests.schemas.test_requests import ACCEPTED, PUBLISHED, REQUEST, ask, item, with_message

pytestmark = needs_data

# The contract accepts what the published schema refuses
_NULLABLE = "OpenAI takes null where OpenResponses wants the field left out"
_OPEN = "upstreams have types of their own, and SDKs send them"
LENIENT = {
    "background": _NULLABLE,
    "include": _NULLABLE,
    "service_tier": _NULLABLE,
    "store": _NULLABLE,
    "stream": _NULLABLE,
    "truncation": _NULLABLE,
    "text.verbosity": _NULLABLE,
    "text.format.description": _NULLABLE,
    "tools.*.strict": _NULLABLE,
    "input.*.phase": _NULLABLE,
    "include.*": "tools of the upstream's own bring names of their own",
    "input.*": _OPEN,
    "input.*.type": "and a message may leave its type out",
    "input.*.content.*.annotations.*": _OPEN,
    "input.*.content.*.annotations.*.type": _OPEN,
    "input.*.content": "reasoning text goes back here, for which the schema has only null",
    "tools.*": _OPEN,
    "tools.*.type": _OPEN,
    "tool_choice": _OPEN,
    "tool_choice.type": _OPEN,
    "tool_choice.tools.*": _OPEN,
    "tool_choice.tools.*.type": _OPEN,
}

# The contract refuses what the published schema accepts
_NEEDED = "without an input there must be something that it continues"
_RANGE = "OpenAI bounds it"
STRICT = {
    "input": _NEEDED,
    "previous_response_id": _NEEDED,
    "temperature": _RANGE,
    "top_p": _RANGE,
    "presence_penalty": _RANGE,
    "frequency_penalty": _RANGE,
    "text.format": "a format says which",
    "text.format.type": "a format says which",
    "text.format.name": "OpenAI requires it",
    "text.format.schema": "OpenAI requires it",
    "input.*.type": "with a role it is a message, which null is not",
}


def test_they_differ_only_in_the_listed_places() -> None:
    lenient: set[str] = set()
    strict: set[str] = set()
    for request in ACCEPTED.values():
        for place in places(request):
            for other in changed(request, place):
                mine = accepts(ours(REQUEST), other)
                if mine != accepts(published(PUBLISHED), other):
                    (lenient if mine else strict).add(dotted(place))
    assert lenient == set(LENIENT)
    assert strict == set(STRICT)


_IMAGE = {"type": "input_image", "image_url": "https://example.org/a.png"}


@pytest.mark.parametrize(
    "request_",
    [
        *(with_message(role, "Hi") for role in ("user", "assistant", "system", "developer")),
        *(with_message("assistant", "Hi", phase=phase) for phase in ("commentary", "final_answer")),
        *(with_message("user", [_IMAGE | {"detail": word}]) for word in ("low", "high", "auto")),
        *(
            item(type="function_call", call_id="c", name="n", arguments="", status=status)
            for status in ("in_progress", "completed", "incomplete")
        ),
        *(
            ask(reasoning={"effort": effort})
            for effort in ("none", "low", "medium", "high", "xhigh")
        ),
        *(ask(reasoning={"summary": summary}) for summary in ("concise", "detailed", "auto")),
        *(ask(text={"verbosity": word}) for word in ("low", "medium", "high")),
        *(ask(tool_choice=word) for word in ("none", "auto", "required")),
        *(ask(truncation=word) for word in ("auto", "disabled")),
        *(ask(service_tier=word) for word in ("auto", "default", "flex", "priority")),
        *(
            ask(
                tool_choice={
                    "type": "allowed_tools",
                    "mode": mode,
                    "tools": [{"type": "function", "name": "x"}] * 128,
                }
            )
            for mode in ("none", "auto", "required")
        ),
        ask(text={"format": {"type": "text"}}),
    ],
    ids=json.dumps,
)
def test_both_accept_every_value_of_an_enumeration(request_: dict[str, Any]) -> None:
    assert accepts(ours(REQUEST), request_)
    assert accepts(published(PUBLISHED), request_)
