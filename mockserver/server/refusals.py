"""Exceptions for requests that are answered with an error."""

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


class Unavailable(Refused):
    """The Redis that the workers share cannot be used: 503."""

    culprit = "the shared Redis"

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(503, message)
        self.hint = hint


class NotShared(Refused):
    """A question that one of several workers cannot answer alone: 501."""

    culprit = "the command"
    hint = "start the server with --shared redis://HOST:PORT, or with one worker"

    def __init__(self, what: str) -> None:
        super().__init__(501, f"{what}, and the workers of this server share nothing")
