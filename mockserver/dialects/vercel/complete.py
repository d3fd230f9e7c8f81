"""Fills in the fields of parts that a scenario may leave out.

The fields that a scenario sets are merged over the defaults, and its ``absent`` fields are removed.
``reason``, in a scenario, sets all fields with the finish reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, merged, without
from mockserver.dialects.vercel import core, parts, provider
from mockserver.dialects.vercel.field_names import NAMES, FieldNames
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.scenario.script import Send, Usage
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockserver.scenario.script import SendStep
    from mockserver.wire.event import Step

    Fields = Mapping[str, Any]

_V4, _V5, _V6 = NAMES[parts.V4], NAMES[parts.V5], NAMES[parts.V6]
_USED = Usage(16, 8)
_ERROR = {"message": "The model failed to answer."}
_STEP: Mapping[str, Any] = {"request": {}, "warnings": []}


def _counts(names: FieldNames) -> dict[str, Any]:
    """Default token counts in the form of the generations before ai 6."""
    return {names.input_tokens: 16, names.output_tokens: 8, "totalTokens": 24}


def complete(dialect: str, sends: Sequence[SendStep], generation: str = "") -> Iterator[Step]:
    """Turn the sends of a script into complete events; other steps are passed through."""
    defaults = _OLDER.get(generation, _DEFAULTS[dialect])
    spent: list[Mapping[str, Any]] = []
    for step in sends:
        yield _event(step, defaults, spent) if isinstance(step, Send) else step


def _event(send: Send, defaults: _Defaults, spent: list[Mapping[str, Any]]) -> Event:
    fields = dict(send.fields)
    if not send.known:
        data = without({"type": send.type, **fields}, send.absent)
        return Event(send.type, data, ignorable=True)
    reason = fields.pop("reason", "stop") if send.type in parts.FINISHES else ""
    # An error can have any shape, so no default fields are added to one in the scenario.
    own_error = send.type == "error" and ("error" in fields or ("error",) in send.absent)
    has_default = send.type in defaults and not own_error
    default = defaults[send.type](reason) if has_default else {}
    if send.type == "finish" and spent and _V6.usage in default:
        default[_V6.usage] = _sum(spent)
    data = without({"type": send.type, **mapping(merged(default, fields))}, send.absent)
    if send.type == "finish-step":
        spent.append(mapping(data.get("usage")))
    return Event(send.type, data)


def _sum(spent: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The total usage of several steps; a count that one of them lacks is left out."""
    total: dict[str, Any] = {}
    for name in dict.fromkeys(name for used in spent for name in used):
        values = [used.get(name) for used in spent]
        if all(isinstance(value, dict) for value in values):
            total[name] = _sum([mapping(value) for value in values])
        elif all(isinstance(value, int) for value in values):
            total[name] = sum(value for value in values if isinstance(value, int))
    return total


def _raw(reason: Any) -> Any:
    """A finish reason in the spelling of a model's API; a value that is not text is unchanged."""
    return reason.replace("-", "_") if isinstance(reason, str) else reason


def _metadata() -> dict[str, Any]:
    return {"id": mark("id"), "timestamp": mark("timestamp"), "modelId": mark("model")}


def _reasons(reason: str) -> dict[str, Any]:
    return {"finishReason": reason, "rawFinishReason": _raw(reason)}


_Defaults = dict[str, "Callable[[str], dict[str, Any]]"]

_DEFAULTS: dict[str, _Defaults] = {
    GATEWAY: {
        "stream-start": lambda _: {"warnings": []},
        "response-metadata": lambda _: _metadata(),
        "error": lambda _: {"error": dict(_ERROR)},
        "finish": lambda reason: {
            NAMES[GATEWAY].usage: provider.usage(_USED),
            "finishReason": {"unified": reason, "raw": _raw(reason)},
        },
    },
    FULLSTREAM: {
        "start-step": lambda _: dict(_STEP),
        "error": lambda _: {"error": dict(_ERROR)},
        "finish-step": lambda reason: {
            "response": _metadata(),
            "usage": core.usage(_USED),
            **_reasons(reason),
        },
        "finish": lambda reason: {**_reasons(reason), _V6.usage: core.usage(_USED)},
    },
    UI: {
        "start": lambda _: {"messageId": mark("id")},
        "error": lambda _: {NAMES[UI].error: _ERROR["message"]},
        "finish": lambda reason: {"finishReason": reason},
    },
}

_DEFAULTS_V5: _Defaults = {
    **_DEFAULTS[FULLSTREAM],
    "finish-step": lambda reason: {
        "response": _metadata(),
        "usage": _counts(_V5),
        "finishReason": reason,
    },
    "finish": lambda reason: {"finishReason": reason, _V5.usage: _counts(_V5)},
}

_DEFAULTS_V4: _Defaults = {
    "step-start": lambda _: {"messageId": mark("id"), **_STEP},
    "error": lambda _: {"error": dict(_ERROR)},
    "step-finish": lambda reason: {
        "messageId": mark("id"),
        "finishReason": reason,
        "usage": _counts(_V4),
        "response": _metadata(),
        "isContinued": False,
        **_STEP,
    },
    "finish": lambda reason: {
        "finishReason": reason,
        _V4.usage: _counts(_V4),
        "response": _metadata(),
    },
}

_OLDER = {parts.V4: _DEFAULTS_V4, parts.V5: _DEFAULTS_V5}
"""The defaults of ``fullStream`` in older generations; later ones have those of ai 6."""
