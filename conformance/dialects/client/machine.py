"""`Machine`: what the machines of all reference adapters have in common.

A machine turns the events of one response into parts, without I/O; `client.transport` feeds it. A
response is open until its outcome is settled, by an error or a finish. Then optional events may
follow, such as usage or the reason of a failure, until it has ended. A stream that ends before is
truncated. The first failure counts; the trait `errors` says how the host sees it.

The machine of a dialect defines `event`, in which it sets `finish` when the response ends, also if
that is an error, sets `usage`, and calls `fail` for a failure.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from conformance.dialects.client.fields import Event, Part

DEFAULTS = {"reasoning": "thinking", "refusal": "text", "annotations": "link"}
"""The traits of an adapter whose description has none. A machine looks at some of them."""

NO_REASON = "the upstream failed and gave no reason"

GRACE = 1.0
"""Seconds to wait for optional events after the outcome is settled, if nothing follows."""


class Machine(ABC):
    """Turns the events of one response into parts.

    One that is not ``lenient`` reads events exactly as they were sent, needs the blank line after
    the last one.
    """

    lenient: ClassVar[bool] = True

    def __init__(self, traits: Event | None = None) -> None:
        self.traits = {**DEFAULTS, **(traits or {})}
        self.finish = ""
        self.usage: Mapping[str, object] = {}
        self.failure: dict[str, object] = {}

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether further events would be ignored, so that reading can stop."""

    @property
    def settled(self) -> bool:
        """Whether the outcome is known, so that only optional events may follow."""
        return False

    @property
    def grace_seconds(self) -> float | None:
        """Seconds to wait for optional events, once the outcome is settled; None until then."""
        return GRACE if self.settled else None

    def begin(self, run: Event) -> None:  # noqa: B027
        """Read what the machine needs of the run, before its first event; nothing by default."""

    @abstractmethod
    def event(self, data: Event) -> list[Part]:
        """The parts to emit after one decoded event."""

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """Record a failure, unless there is one or the outcome is settled."""
        if not (self.failure or self.settled or self.ended):
            self.failure = {"kind": kind, "message": message} | ({"code": code} if code else {})

    def close(self) -> list[Part]:
        """The parts to emit when no event follows."""
        self.fail("truncated", "the stream ended before the response did")
        return self.last_parts()

    def last_parts(self) -> list[Part]:
        """The parts at the end of the stream, which may have failed; none by default."""
        return []

    def error_text(self) -> str:
        """The text of a failure if errors are shown as text; else empty."""
        shown = self.failure and self.traits.get("errors") == "text"
        return f"\n\n**Error:** {self.failure['message']}\n\n" if shown else ""

    def end(self) -> dict[str, object]:
        """The `done` message of a closed machine, without the id of its run."""
        return done(self.finish, self.usage, self.failure, as_text=bool(self.error_text()))


def done(finish: str, usage: Event, failure: Event, *, as_text: bool) -> dict[str, object]:
    """A `done` message; `as_text` says that a failure was emitted as text, so the run completes."""
    if failure and not as_text:
        return {"type": "done", "outcome": "failed", "error": dict(failure)}
    known = {"finish": "error" if failure else finish, "usage": usage}
    return {"type": "done", "outcome": "completed", **{n: v for n, v in known.items() if v}}
