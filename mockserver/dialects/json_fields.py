"""The fields of an event as a scenario writes them: given, absent, or left to the dialect.

What is sent may be wrong on purpose, so code that reads a given field may not trust its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockserver.scenario.model import FieldPath


def merged(default: Any, given: Any) -> Any:
    """``given`` laid over ``default``: objects merge key by key, any other value replaces.

    Null is a value like any other.
    """
    if not isinstance(given, dict):
        return given
    result = dict(default) if isinstance(default, dict) else {}
    for key, value in given.items():
        result[key] = merged(result.get(key), value)
    return result


def without(data: Mapping[str, Any], absent: Iterable[FieldPath]) -> dict[str, Any]:
    """A copy of ``data`` that lacks the fields at these paths; a path that leads nowhere is fine.

    What is on the way to a removed field is copied, so ``data`` itself stays as it is.
    """
    result = dict(data)
    for path in absent:
        result = _removed(result, path)
    return result


def _removed(data: dict[str, Any], path: FieldPath) -> dict[str, Any]:
    name, *rest = path
    if not rest:
        return {key: value for key, value in data.items() if key != name}
    inner = data.get(name)
    return {**data, name: _removed(inner, tuple(rest))} if isinstance(inner, dict) else data


def with_nulls(fields: Mapping[str, Any], absent: Iterable[FieldPath]) -> dict[str, Any]:
    """The given fields, with null for each absent one.

    Derivation reads this: an absent index or id finds no item, as a null one does.
    """
    result = dict(fields)
    for path in absent:
        nulls: Any = None
        for name in reversed(path):
            nulls = {name: nulls}
        result = merged(result, nulls)
    return result


def nulls(fields: Mapping[str, Any], path: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of fields that are null, at any depth of objects; lists are not searched."""
    for name, value in fields.items():
        if value is None:
            yield (*path, name)
        elif isinstance(value, dict):
            yield from nulls(value, (*path, name))


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
