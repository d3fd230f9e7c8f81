"""Fields as a scenario gives them: of any type, and stronger than what a dialect derives.

What is sent may be wrong on purpose, so nobody who reads a given field may trust its type.
"""

from __future__ import annotations

from typing import Any


def merged(default: Any, given: Any) -> Any:
    """``given`` laid over ``default`` as a JSON merge patch.

    Given fields win to the letter, at any depth; ``null`` removes one. Source: RFC 7396 § 2.
    """
    if not isinstance(given, dict):
        return given
    result = dict(default) if isinstance(default, dict) else {}
    for key, value in given.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def mapping(value: Any) -> dict[str, Any]:
    """A value where it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """A value where it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """A value where it is text, else none."""
    return value if isinstance(value, str) else ""


def whole(value: Any) -> int | None:
    """A value where it is a whole number, else None; ``1.0`` is one (JSON Schema § integer)."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
