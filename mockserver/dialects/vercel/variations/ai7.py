"""Maps the parts of ``fullStream`` to those of ai 7: wrapped errors, timings, other token counts.

Source: ai 7 (TextStreamPart, StreamProviderError, normalizeStreamProviderError).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel import usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import V7
from mockserver.foundation.json_fields import mapping

if TYPE_CHECKING:
    from mockserver.dialects.vercel.variations.part_mappings import PartMapping, Table
    from mockserver.wire.event import Data

_STATUS = ("statusCode", "status_code", "status", "code")
_RETRYABLE = frozenset({408, 409, 429})
_ERROR_CODES = range(400, 600)
# These messages alone say what happened (ai 7, inferExactMessageMetadata).
_KNOWN_MESSAGES = {
    "overloaded": 503,
    "overloaded error": 503,
    "model overloaded": 503,
    "internal server error": 500,
    "service unavailable": 503,
}


def _error(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [{**part, "error": normalised(part.get("error"))}]


def normalised(error: Any) -> Any:
    """The error of a provider, wrapped if it is an object with a message.

    An object with a name is an error of the SDK itself, which is not wrapped.
    """
    outer = mapping(error)
    levels = [mapping(mapping(outer.get("response")).get("error")), mapping(outer.get("error"))]
    details = next(filter(None, levels), outer)
    message = details.get("message")
    if not isinstance(message, str) or outer.get("name"):
        return error
    known = _KNOWN_MESSAGES.get(message.strip().lower())
    status = _status((details, outer)) or known
    optional = {
        "type": _first((details, outer), "type", str),
        "code": _first((details, outer), "code", str | int),
        "statusCode": status,
    }
    return {
        "name": "AI_StreamProviderError",
        "message": message,
        **{name: value for name, value in optional.items() if value is not None},
        "isRetryable": bool(known) or status in _RETRYABLE or (status or 0) >= 500,
        "data": error,
    }


def _first(levels: Sequence[Data], name: str, kind: Any) -> Any:
    values = (level.get(name) for level in levels)
    return next((value for value in values if isinstance(value, kind)), None)


def _status(levels: Sequence[Data]) -> int | None:
    values = (level.get(name) for name in _STATUS for level in levels)
    numbers = (int(v) if isinstance(v, str) and v.isdecimal() else v for v in values)
    return next((n for n in numbers if isinstance(n, int) and n in _ERROR_CODES), None)


def _counted(name: str) -> PartMapping:
    def counted(part: Data, _names: Mapping[str, str]) -> list[Data]:
        used = {name: usage.to_v7(mapping(part.get(name)))} if name in part else {}
        return [{**part, **used}]

    return counted


def _step(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [part, {"type": "ping"}]


AI_7: Table = {
    "start-step": _step,
    "error": _error,
    "finish-step": _counted("usage"),
    "finish": _counted(NAMES[V7].usage),
}
