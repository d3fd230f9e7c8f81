"""The shapes of errors in streams of chat completions."""

from __future__ import annotations

from collections.abc import Mapping

from mockserver.dialects.chat.chunks import CHUNK, ERROR, FINISH
from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Raw, Send

_ERROR = {"message": MESSAGE, "code": CODE}
_ENVELOPE = (("id",), ("object",), ("created",), ("model",), ("choices",))

ERRORS: Mapping[str, ErrorShape] = {
    "object": ErrorShape("an object with an error alone", (Send(ERROR, _ERROR),)),
    "string": ErrorShape(
        "an error that is a string",
        (Send(CHUNK, {"error": MESSAGE}, absent=_ENVELOPE),),
        code=False,
    ),
    "event": ErrorShape(
        "an event with the name error",
        (Raw(f"event: error\ndata: {dump({'error': _ERROR})}\n\n"),),
    ),
    "beside-choices": ErrorShape(
        "a chunk with an error and the finish reason error, as routers send it",
        (
            Send(
                CHUNK,
                {
                    "error": _ERROR,
                    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                },
            ),
        ),
    ),
    "incomplete": ErrorShape(
        "no error, but the finish reason length",
        (Send(FINISH, {"reason": "length"}),),
        outcome="incomplete",
    ),
}
