"""Named changes to how a turn looks on the wire, under which the emitted parts stay the same.

A variation is added by naming it in ``VARIATIONS``; a case asks for it as ``…@dialect+name``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mockserver.frames import Framing


@dataclass(frozen=True, slots=True)
class Variation:
    """One change to the framing of a stream, and why an adapter may meet it."""

    name: str
    about: str
    change: Callable[[Framing], Framing]


_ALL = (
    Variation(
        "crlf",
        "lines end with CR LF (WHATWG, event stream format)",
        lambda framing: replace(framing, newline="\r\n"),
    ),
    Variation(
        "no-done",
        "the stream ends without [DONE], as api.openai.com ends Responses streams",
        lambda framing: replace(framing, done=False),
    ),
    Variation(
        "no-event-line",
        "events have no event: line; the type stands in the data",
        lambda framing: replace(framing, event_line=False),
    ),
    Variation(
        "no-space",
        "no space after the colon of a field (WHATWG: it is optional)",
        lambda framing: replace(framing, space=""),
    ),
)

VARIATIONS: dict[str, Variation] = {variation.name: variation for variation in _ALL}
