"""Endings of runs that failed, and the failure that a binding reports itself."""


class Contradiction(ValueError):
    """An answer contradicts itself, and the library has not reported it."""

    def __init__(self, message):
        super().__init__(f"the binding reports: {message}")


def require_plain(error, class_):
    """Raise an exception again, unless it is one of the class itself: subclasses report defects."""
    if type(error) is not class_:
        raise error


def failed(kind, message="the response failed", code=None):
    told = {"kind": kind, "message": message, "code": str(code or "")}
    return {"outcome": "failed", "error": told}
