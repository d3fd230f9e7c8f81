"""Fills in what the parts of a layer have and a scenario may leave out.

A scenario's own fields are laid over that, and its ``absent`` fields are taken away. ``reason`` is
short for the fields in which a finish says why the model stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, merged, without
from mockserver.dialects.vercel import core, parts, provider
from mockserver.dialects.vercel.field_names import NAMES, FieldNames
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.scenario.model import Send, Usage
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockserver.scenario.model import SendStep
    from mockserver.wire.event import Step

    Fields = Mapping[str, Any]

_V4, _V5, _V6 = NAMES[parts.V4], NAMES[parts.V5], NAMES[parts.V6]
_USED = Usage(16, 8)
_ERROR = {"message": "The model failed to answer."}
_STEP: Mapping[str, Any] = {"request": {}, "warnings": []}


def _counts(names: FieldNames) -> dict[str, Any]:
    """Token counts as generations before ai 6 have them."""
    return {names.input_tokens: 16, names.output_tokens: 8, "totalTokens": 24}


def complete(dialect: str, sends: Sequence[SendStep], generation: str = "") -> Iterator[Step]:
    """The events of one turn, whole; steps of other kinds pass through."""
    derived = _OLD.get(generation, _OF[dialect])
    spent: list[Mapping[str, Any]] = []
    for step in sends:
        yield _event(step, derived, spent) if isinstance(step, Send) else step


def _event(send: Send, derived: _Derived, spent: list[Mapping[str, Any]]) -> Event:
    given = dict(send.fields)
    if not send.known:
        data = without({"type": send.type, **given}, send.absent)
        return Event(send.type, data, ignorable=True)
    reason = given.pop("reason", "stop") if send.type in parts.FINISHES else ""
    # An error may be of any shape, so nothing is derived beside a given one.
    whole = send.type == "error" and ("error" in given or ("error",) in send.absent)
    default = derived[send.type](reason) if send.type in derived and not whole else {}
    if send.type == "finish" and spent and _V6.usage in default:
        default[_V6.usage] = _sum(spent)
    data = without({"type": send.type, **mapping(merged(default, given))}, send.absent)
    if send.type == "finish-step":
        spent.append(mapping(data.get("usage")))
    return Event(send.type, data)


def _sum(spent: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What several steps used; what one of them does not tell is not known."""
    total: dict[str, Any] = {}
    for name in dict.fromkeys(name for used in spent for name in used):
        values = [used.get(name) for used in spent]
        if all(isinstance(value, dict) for value in values):
            total[name] = _sum([mapping(value) for value in values])
        elif all(isinstance(value, int) for value in values):
            total[name] = sum(value for value in values if isinstance(value, int))
    return total


def _raw(reason: Any) -> Any:
    """A reason in a model's own spelling; one that is none is sent as it is."""
    return reason.replace("-", "_") if isinstance(reason, str) else reason


def _metadata() -> dict[str, Any]:
    return {"id": mark("id"), "timestamp": mark("timestamp"), "modelId": mark("model")}


def _why(reason: str) -> dict[str, Any]:
    return {"finishReason": reason, "rawFinishReason": _raw(reason)}


_Derived = dict[str, "Callable[[str], dict[str, Any]]"]

_OF: dict[str, _Derived] = {
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
            **_why(reason),
        },
        "finish": lambda reason: {**_why(reason), _V6.usage: core.usage(_USED)},
    },
    UI: {
        "start": lambda _: {"messageId": mark("id")},
        "error": lambda _: {NAMES[UI].error: _ERROR["message"]},
        "finish": lambda reason: {"finishReason": reason},
    },
}

_OF_V5: _Derived = {
    **_OF[FULLSTREAM],
    "finish-step": lambda reason: {
        "response": _metadata(),
        "usage": _counts(_V5),
        "finishReason": reason,
    },
    "finish": lambda reason: {"finishReason": reason, _V5.usage: _counts(_V5)},
}

_OF_V4: _Derived = {
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

_OLD = {parts.V4: _OF_V4, parts.V5: _OF_V5}
"""What a full stream of an older generation has; that of a later one has what ai 6 has."""
