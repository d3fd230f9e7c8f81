"""Exceptions for requests that are answered with an error."""

from __future__ import annotations

from mockserver.foundation.faults import UserError


class Refused(Exception):
    """A request that gets an error response; ``param`` names the offending field, if any.

    ``culprit`` and ``hint`` are for the control interface, which says whose fault an error is.
    """

    culprit = "the request"
    hint = ""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param


class Missing(UserError):
    """A control request names something that does not exist: 404."""

    culprit = "the request"
