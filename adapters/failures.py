"""Endings of runs that failed, and the failure that a binding reports itself."""

from typing import Any


class Contradiction(ValueError):
    """An answer contradicts itself, and the library has not reported it."""

    def __init__(self, message):
        super().__init__(f"the binding reports: {message}")


def require_plain(error, class_):
    """Raise an exception again, unless it is one of the class itself: subclasses report defects."""
    if type(error) is not class_:
        raise error


def failed(kind: str, message: str = "the response failed", code: object = None) -> dict[str, Any]:
    """The ending of a run whose library has reported a failure, for ``done``."""
    told = {"kind": kind, "message": message, "code": str(code or "")}
    return {"outcome": "failed", "error": told}
