"""Fields of a scenario laid over what a dialect derives."""

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
