"""Fills in the fields of parts that a scenario may leave out.

The fields that a scenario sets are merged over the defaults, and its ``absent`` fields are removed.
``reason``, in a scenario, sets all fields with the finish reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel import parts, usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.dialects.vercel.usage import Timings
from mockserver.foundation.json_fields import mapping, merge, remove_fields
from mockserver.scenario.script import Send, Usage
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

if TYPE_CHECKING:
    Fields = Mapping[str, Any]

_V4, _V6 = NAMES[parts.V4], NAMES[parts.V6]
_USED = Usage(16, 8)
_SPENT = usage.v6(_USED)
_ERROR = {"message": "The model failed to answer."}
_STEP: Mapping[str, Any] = {"request": {}, "warnings": []}


@dataclass
class PartsSoFar:
    """What was sent: the usage of each step, and in ai 7 what the timings of a step depend on.

    ``by_type`` has the default fields of parts.
    """

    by_type: _Defaults
    spent: list[Mapping[str, Any]] = field(default_factory=list)
    timings: Timings | None = None

    @classmethod
    def of(cls, dialect: str, generation: str = "") -> PartsSoFar:
        """Nothing was sent yet, in this generation of a dialect; empty for the default one."""
        timings = Timings() if generation == parts.V7 else None
        return cls(_OTHER_GENERATIONS.get(generation, _DEFAULTS[dialect]), timings=timings)

    def preview(self, send: Send) -> Event:
        return Event(send.type, self._data(send), ignorable=not send.known)

    def event(self, send: Send) -> Event:
        event = self.preview(send)
        if send.known:
            self._add(event.data)
        return event

    def _data(self, send: Send) -> dict[str, Any]:
        fields = dict(send.fields)
        if not send.known:
            return remove_fields({"type": send.type, **fields}, send.absent)
        reason = fields.pop("reason", "stop") if send.type in parts.FINISHES else ""
        sent = {**fields, "reason": reason}
        # An error can have any shape, so no default fields are added to one in the scenario.
        own_error = send.type == "error" and ("error" in fields or ("error",) in send.absent)
        has_default = send.type in self.by_type and not own_error
        default = self.by_type[send.type](sent) if has_default else {}
        default = self._defaults(send.type, default, fields)
        return remove_fields({"type": send.type, **mapping(merge(default, fields))}, send.absent)

    def _defaults(self, type_: str, default: dict[str, Any], fields: Fields) -> dict[str, Any]:
        """The defaults of a part, with those that depend on earlier parts."""
        if type_ == "finish" and self.spent and _V6.usage in default:
            return {**default, _V6.usage: _sum(self.spent)}
        if type_ == "finish-step" and self.timings:
            used = mapping(mapping(merge(default, fields)).get("usage"))
            return {**default, "performance": self.timings.performance(used)}
        return default

    def _add(self, part: Mapping[str, Any]) -> None:
        if part.get("type") == "finish-step":
            self.spent.append(mapping(part.get("usage")))
        if self.timings:
            self.timings.add(part)


def spell(type_: str, data: Mapping[str, Any]) -> list[Send]:
    """The sends that may have this data: a finish by its reason, then by its fields alone."""
    reason = parts.reason(data) if type_ in parts.FINISHES else ""
    return [Send(type_, {"reason": reason})] if reason else [Send(type_)]


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


def _reason(sent: Fields) -> dict[str, Any]:
    return {"finishReason": sent["reason"]}


def _reasons(sent: Fields) -> dict[str, Any]:
    return {"finishReason": sent["reason"], "rawFinishReason": _raw(sent["reason"])}


def _default_of_result(sent: Fields) -> dict[str, Any]:
    """Results of tools that the SDK has run itself say whether the tool is dynamic."""
    return {} if sent.get("providerExecuted") else {"dynamic": False}


_Defaults = dict[str, "Callable[[Fields], dict[str, Any]]"]


def _error(_sent: Fields) -> dict[str, Any]:
    return {"error": dict(_ERROR)}


def _steps(used: Fields, reasons: Callable[[Fields], dict[str, Any]]) -> _Defaults:
    """The defaults of ``fullStream`` since ai 5, with this usage and these finish reasons."""
    return {
        "start-step": lambda _: dict(_STEP),
        "tool-input-start": lambda _: {"dynamic": False},
        "error": _error,
        "finish-step": lambda sent: {"response": _metadata(), "usage": dict(used), **reasons(sent)},
        "finish": lambda sent: {**reasons(sent), _V6.usage: dict(used)},
    }


_RESULTS = dict.fromkeys(("tool-result", "tool-error"), _default_of_result)

_DEFAULTS: dict[str, _Defaults] = {
    GATEWAY: {
        "stream-start": lambda _: {"warnings": []},
        "response-metadata": lambda _: _metadata(),
        "error": _error,
        "finish": lambda sent: {
            NAMES[GATEWAY].usage: usage.provider(_USED),
            "finishReason": {"unified": sent["reason"], "raw": _raw(sent["reason"])},
        },
    },
    FULLSTREAM: _steps(_SPENT, _reasons) | _RESULTS,
    UI: {
        "start": lambda _: {"messageId": mark("id")},
        "error": lambda _: {NAMES[UI].error: _ERROR["message"]},
        "finish": _reason,
    },
}

_OTHER_GENERATIONS: dict[str, _Defaults] = {
    parts.V4: {
        "step-start": lambda _: {"messageId": mark("id"), **_STEP},
        "error": _error,
        "step-finish": lambda sent: {
            "messageId": mark("id"),
            **_reason(sent),
            "usage": usage.to_v4(_SPENT),
            "response": _metadata(),
            "isContinued": False,
            **_STEP,
        },
        "finish": lambda sent: {
            **_reason(sent),
            _V4.usage: usage.to_v4(_SPENT),
            "response": _metadata(),
        },
    },
    parts.V5: _steps(usage.to_v5(_SPENT), _reason),
    parts.V7: _steps(usage.to_v7(_SPENT), _reasons) | _RESULTS,
}
"""The defaults of ``fullStream`` in generations that differ from ai 6."""
