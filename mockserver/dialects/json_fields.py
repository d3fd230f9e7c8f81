"""Helpers for JSON values of any type, and for merging a scenario's fields over derived ones.

A scenario may send wrong types on purpose, so no code may rely on the type of a field.
"""

from __future__ import annotations

from typing import Any


def merged(default: Any, patch: Any) -> Any:
    """``default`` with a JSON merge patch applied.

    Fields of the patch win at any depth; ``null`` removes a field. Source: RFC 7396 § 2.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(default) if isinstance(default, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty object."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty array."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """The value if it is an integer, else None; ``1.0`` is an integer (JSON Schema § integer)."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
