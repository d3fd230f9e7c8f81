"""``ErrorShape``: how the upstreams of a dialect report a failure in a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mockserver.scenario.script import Raw, Send

MESSAGE = "The backend is overloaded."
CODE = "server_error"


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """The events that report a failure with ``MESSAGE``; ``about`` says what is peculiar to them.

    ``code`` is whether they have ``CODE``. Instead of a failure, they may say that the response is
    ``incomplete`` because it is too long.
    """

    about: str
    sends: tuple[Send | Raw, ...]
    code: bool = True
    outcome: Literal["failed", "incomplete"] = "failed"
