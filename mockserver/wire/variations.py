"""Variations of the framing that every decoder of server-sent events must accept."""

from __future__ import annotations

from dataclasses import replace

from mockserver.wire.variation import Variation

WIRE = (
    Variation(
        "crlf",
        "lines end with CR LF (WHATWG, event stream format)",
        lambda framing: replace(framing, newline="\r\n"),
    ),
    Variation(
        "done-apart",
        "[DONE] comes in a write of its own, for clients that lose a last event that it shares",
        lambda framing: replace(framing, closing_apart=bool(framing.closing)),
    ),
    Variation(
        "no-done",
        "the stream ends without [DONE], as api.openai.com ends Responses streams",
        lambda framing: replace(framing, closing=""),
    ),
    Variation(
        "no-event-line",
        "events have no event: line; their type is in the data",
        lambda framing: replace(framing, event_line=False),
    ),
    Variation(
        "no-space",
        "no space after the colon of a field (WHATWG: it is optional)",
        lambda framing: replace(framing, space=""),
    ),
)
