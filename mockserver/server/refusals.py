"""Requests that are answered with an error instead of being played."""

from __future__ import annotations

from mockserver.faults import UserError


class Refused(Exception):
    """The status and the message of the answer; ``param`` names the offending field, if one is."""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param


class Missing(UserError):
    """What the control interface was asked for is not there: 404."""

    culprit = "the request"
