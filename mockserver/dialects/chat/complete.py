"""Fills in the fields that every chunk has: id, time, model, and the index of its choice.

The fields that a scenario sets are merged over these, and its ``absent`` fields are removed. Both
apply to what the step is named after: the chunk, the delta, the choice of a finish, the usage, or
the error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat.chunks import CHUNK, DELTA, ERROR, FINISH, USAGE
from mockserver.dialects.json_fields import merged, without
from mockserver.scenario.script import Send
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockserver.scenario.script import SendStep
    from mockserver.wire.event import Step

_ERROR = {
    "message": "The model failed to answer.",
    "type": "server_error",
    "param": None,
    "code": None,
}


def complete(sends: Sequence[SendStep]) -> Iterator[Step]:
    """Turn the sends of a script into complete events; other steps are passed through."""
    for step in sends:
        yield _event(step) if isinstance(step, Send) else step


def _event(send: Send) -> Event:
    if not send.known:
        return Event(send.type, dict(send.fields), ignorable=True)
    return Event(send.type, _BUILDERS[send.type](send), on_request=send.on_request)


def _filled(default: Mapping[str, Any], send: Send) -> dict[str, Any]:
    return without(merged(default, dict(send.fields)), send.absent)


def _envelope(**fields: Any) -> dict[str, Any]:
    return {
        "id": mark("id"),
        "object": "chat.completion.chunk",
        "created": mark("created_at"),
        "model": mark("model"),
        "choices": [],
        **fields,
    }


def _choice(**fields: Any) -> dict[str, Any]:
    return {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None, **fields}


def _finish(send: Send) -> dict[str, Any]:
    fields = dict(send.fields)
    choice = _choice(**{"finish_reason": fields.pop("reason", "stop"), **fields})
    return _envelope(choices=[without(choice, send.absent)])


_BUILDERS: dict[str, Callable[[Send], dict[str, Any]]] = {
    CHUNK: lambda send: _filled(_envelope(), send),
    DELTA: lambda send: _envelope(choices=[_choice(delta=dict(send.fields))]),
    FINISH: _finish,
    USAGE: lambda send: _envelope(usage=dict(send.fields)),
    ERROR: lambda send: {"error": _filled(_ERROR, send)},
}
