"""Helpers for JSON values of any type, and for merging a scenario's fields over derived ones.

A scenario may send wrong types on purpose, so no code may rely on the type of a field.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any

FieldPath = tuple[str, ...]
"""The names on the path to a field of an object, the outermost first."""


def merge(default: Any, fields: Any) -> Any:
    """``fields`` merged over ``default``: objects by key, any other value replaces the default.

    Null is a value like any other.
    """
    if not isinstance(fields, dict):
        return fields
    result = dict(default) if isinstance(default, dict) else {}
    for key, value in fields.items():
        result[key] = merge(result.get(key), value)
    return result


def remove_fields(data: Mapping[str, Any], absent: Iterable[FieldPath]) -> dict[str, Any]:
    """A copy of ``data`` without the fields at these paths; unknown paths are ignored.

    ``data`` itself is not changed.
    """
    result = dict(data)
    for name, *rest in absent:
        if not rest:
            result.pop(name, None)
        elif isinstance(inner := result.get(name), dict):
            result[name] = remove_fields(inner, [tuple(rest)])
    return result


def omit(data: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """A copy of ``data`` without the fields of these names."""
    return {name: value for name, value in data.items() if name not in names}


def add_nulls(fields: Mapping[str, Any], absent: Iterable[FieldPath]) -> dict[str, Any]:
    """The fields of a step, with null for each absent one.

    Derivation uses this form: like a null one, an absent index or id refers to no item.
    """
    result = dict(fields)
    for path in absent:
        nulls: Any = None
        for name in reversed(path):
            nulls = {name: nulls}
        result = merge(result, nulls)
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
