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


_WITHOUT_REPORT = (CHUNK, DELTA, FINISH)
_USAGE_PATH = ("usage",)


def complete(sends: Sequence[SendStep], *, reports_usage: bool = True) -> Iterator[Step]:
    """Turn the sends of a script into complete events; other steps are passed through.

    If ``reports_usage`` is False, the upstream does not support the request for usage.
    """
    for step in sends:
        yield _event(step, reports_usage) if isinstance(step, Send) else step


def _event(send: Send, reports_usage: bool) -> Event:
    if not send.known:
        return Event(send.type, dict(send.fields), ignorable=True)
    return Event(
        send.type,
        _BUILDERS[send.type](send),
        on_request=send.on_request,
        nulls_on_request=_nulls_on_request(send) if reports_usage else (),
    )


def _nulls_on_request(send: Send) -> tuple[str, ...]:
    """``usage``, which every chunk but the report has as null, unless the scenario removes it.

    Source: OpenAI, "stream_options.include_usage". Notices of Copilot's proxy, whose choices are
    null, are not chunks of the completion.
    """
    if send.type not in _WITHOUT_REPORT or _USAGE_PATH in send.absent:
        return ()
    return () if send.type == CHUNK and send.fields.get("choices", []) is None else ("usage",)


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
