"""``Machine``: what the machines of all reference adapters have in common."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.dialects.client.fields import Event, Part

THINKING_PREFIX = "[Thinking] "
"""What each text part of reasoning begins with, for hosts without thinking parts."""


class Machine:
    """Turns the events of one response into parts; no I/O. `client.transport` feeds it.

    The machine of a dialect defines `event`, in which it sets `finish` when the response ends, also
    if that is an error, sets `usage`, and calls `fail` for a failure.
    """

    def __init__(
        self, traits: Event | None = None, known: Mapping[str, tuple[object, ...]] | None = None
    ) -> None:
        """Read the traits in `known`, which has the values of each, the default first.

        Raises ValueError if a trait has another value.
        """
        self.traits = _chosen(traits or {}, known or {})
        self.finish = ""
        self.usage: Mapping[str, object] = {}
        self.failure: dict[str, object] = {}

    @property
    def ended(self) -> bool:
        """Whether further events would be ignored, so that reading can stop."""
        return bool(self.finish)

    @property
    def grace_seconds(self) -> float | None:
        """Seconds to wait for optional events, once the outcome is known; None until then."""
        return None

    def begin(self, run: Event) -> None:
        """Read what the machine needs of the run, before its first event; nothing by default."""

    def event(self, data: Event) -> list[Part]:
        """The parts to emit after one decoded event."""
        raise NotImplementedError

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """Record a failure, unless there is one already or the response has ended."""
        if not self.failure and not self.ended:
            self.failure = {"kind": kind, "message": message} | ({"code": code} if code else {})

    def close(self) -> list[Part]:
        """The parts to emit when no event follows."""
        self.fail("truncated", "the stream ended before the response did")
        return []

    def end(self) -> dict[str, object]:
        """The `done` message, without the id of its run."""
        self.close()
        as_text = self.traits.get("errors") == "text"
        return done(self.finish, self.usage, self.failure, as_text=as_text)


def _chosen(traits: Event, known: Mapping[str, tuple[object, ...]]) -> dict[str, object]:
    chosen = {name: traits.get(name, values[0]) for name, values in known.items()}
    for name, value in chosen.items():
        if value not in known[name]:
            values = ", ".join(map(str, known[name]))
            raise ValueError(f"trait {name}: {value!r} is none of {values}")
    return chosen


def done(finish: str, usage: Event, failure: Event, *, as_text: bool) -> dict[str, object]:
    """A `done` message; `as_text` says that a failure was emitted as text, so the run completes."""
    if failure and not as_text:
        return {"type": "done", "outcome": "failed", "error": dict(failure)}
    if failure:
        return {"type": "done", "outcome": "completed", "finish": "error"}
    known = {"finish": finish, "usage": usage}
    return {"type": "done", "outcome": "completed", **{n: v for n, v in known.items() if v}}
