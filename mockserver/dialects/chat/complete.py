"""Fills in the fields that every chunk has: id, time, model, and the index of its choice.

The fields that a scenario sets are merged over these, and its ``absent`` fields are removed. Both
apply to what the step is named after: the chunk, the delta, the choice of a finish, the usage, or
the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat.chunks import CHUNK, DELTA, ERROR, FINISH, USAGE, choices
from mockserver.dialects.writing import complete_sends
from mockserver.foundation.json_fields import merged, without
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
    return complete_sends(Chunks(reports_usage), sends)


@dataclass(frozen=True, slots=True)
class Chunks:
    """Completes chunks, none of which depends on those before it."""

    reports_usage: bool = True

    def preview(self, send: Send) -> Event:
        if not send.known:
            return Event(send.type, dict(send.fields), ignorable=True)
        return Event(
            send.type,
            _BUILDERS[send.type](send),
            on_request=send.on_request,
            nulls_on_request=_nulls_on_request(send) if self.reports_usage else (),
        )

    event = preview


def written(_type: str, data: Mapping[str, Any]) -> list[Send]:
    """The sends that may have this data: by what is in the chunk, then as a chunk."""
    return [*_by_content(data), Send(CHUNK)]


def _by_content(data: Mapping[str, Any]) -> Iterator[Send]:
    if isinstance(error := data.get("error"), dict):
        yield Send(ERROR, error, absent=_missing(error, _ERROR))
    if isinstance(usage := data.get("usage"), dict):
        yield Send(USAGE, usage)
    if len(found := list(choices(data))) != 1:
        return
    choice = dict(found[0])
    missing = _missing(choice, _choice())
    if reason := choice.pop("finish_reason", None):
        yield Send(FINISH, {"reason": reason, **choice}, absent=missing)
    elif isinstance(delta := choice.get("delta"), dict):
        yield Send(DELTA, delta)


def _missing(fields: Mapping[str, Any], default: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The default fields that are not among these, as paths."""
    return tuple((name,) for name in default if name not in fields)


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


def _envelope(send: Send, **fields: Any) -> dict[str, Any]:
    return {
        "id": mark("id"),
        "object": "chat.completion.chunk",
        "created": mark("created_at"),
        "model": mark("model"),
        **send.shared,
        "choices": [],
        **fields,
    }


_OWN_FIELDS = ("id", "object", "created", "model", "choices", "usage", "error", "obfuscation")


def shared_fields(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The fields of a chunk that others may have, too; None if it is no chunk of a completion."""
    if not isinstance(data.get("choices"), list):
        return None
    return {name: value for name, value in data.items() if name not in _OWN_FIELDS}


def _choice(**fields: Any) -> dict[str, Any]:
    return {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None, **fields}


def _finish(send: Send) -> dict[str, Any]:
    fields = dict(send.fields)
    choice = _choice(**{"finish_reason": fields.pop("reason", "stop"), **fields})
    return _envelope(send, choices=[without(choice, send.absent)])


_BUILDERS: dict[str, Callable[[Send], dict[str, Any]]] = {
    CHUNK: lambda send: _filled(_envelope(send), send),
    DELTA: lambda send: _envelope(send, choices=[_choice(delta=dict(send.fields))]),
    FINISH: _finish,
    USAGE: lambda send: _envelope(send, usage=dict(send.fields)),
    ERROR: lambda send: {"error": _filled(_ERROR, send)},
}
