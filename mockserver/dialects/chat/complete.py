"""Fills in the fields that every chunk has: id, time, model, and the index of its choice.

The fields that a scenario sets are merged over these as a JSON merge patch; ``choices`` is sent
exactly as the scenario has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat.chunks import CHUNK, DELTA, ERROR, FINISH, USAGE
from mockserver.dialects.json_fields import mapping, merged
from mockserver.scenario.model import Send
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockserver.scenario.model import SendStep
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
    return Event(send.type, _BUILDERS[send.type](send.fields), on_request=send.on_request)


def _chunk(fields: Mapping[str, Any]) -> dict[str, Any]:
    envelope = {
        "id": mark("id"),
        "object": "chat.completion.chunk",
        "created": mark("created_at"),
        "model": mark("model"),
        "choices": [],
    }
    return mapping(merged(envelope, dict(fields)))


def _choice(**fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None, **fields}
    return _chunk({"choices": [choice]})


def _finish(fields: Mapping[str, Any]) -> dict[str, Any]:
    own = dict(fields)
    return _choice(**{"finish_reason": own.pop("reason", "stop"), **own})


def _usage(fields: Mapping[str, Any]) -> dict[str, Any]:
    return _chunk({"usage": dict(fields)})


_BUILDERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    CHUNK: _chunk,
    DELTA: lambda fields: _choice(delta=dict(fields)),
    FINISH: _finish,
    USAGE: _usage,
    ERROR: lambda fields: {"error": merged(_ERROR, dict(fields))},
}
