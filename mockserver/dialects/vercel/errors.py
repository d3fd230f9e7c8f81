"""The shapes of errors in the AI SDK's streams."""

from __future__ import annotations

from collections.abc import Mapping

from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape
from mockserver.scenario.script import Send

_OBJECT = Send("error", {"error": {"message": MESSAGE, "code": CODE}})
_TEXT = Send("error", {"error": MESSAGE})
_TEXT_OF_MESSAGE = Send("error", {"errorText": MESSAGE})
_STEP, _END = Send("finish-step", {"reason": "error"}), Send("finish", {"reason": "error"})
_OF_MESSAGE = (Send("finish-step"), Send("finish", {"finishReason": "error"}))
_LIMIT = (Send("finish-step", {"reason": "length"}), Send("finish", {"reason": "length"}))


def _shapes(*finish: Send) -> dict[str, ErrorShape]:
    return {
        "alone": ErrorShape("an error part, and no finish", (_OBJECT,)),
        "object": ErrorShape("an error part, then the finish", (_OBJECT, *finish)),
        "string": ErrorShape("an error part whose error is a string", (_TEXT, *finish), code=False),
    }


OF_GATEWAY: Mapping[str, ErrorShape] = {
    **_shapes(_END),
    "incomplete": ErrorShape("the finish reason length", _LIMIT[1:], outcome="incomplete"),
}
OF_FULLSTREAM: Mapping[str, ErrorShape] = {
    **_shapes(_STEP, _END),
    "incomplete": ErrorShape("the finish reason length", _LIMIT, outcome="incomplete"),
}
OF_UI: Mapping[str, ErrorShape] = {
    "alone": ErrorShape("an error part, and no finish", (_TEXT_OF_MESSAGE,), code=False),
    "string": ErrorShape(
        "an error part, then the finish", (_TEXT_OF_MESSAGE, *_OF_MESSAGE), code=False
    ),
    "incomplete": ErrorShape(
        "the finish reason length",
        (Send("finish-step"), Send("finish", {"finishReason": "length"})),
        outcome="incomplete",
    ),
}
