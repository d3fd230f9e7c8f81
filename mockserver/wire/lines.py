"""Variations of the lines of a stream that every decoder of server-sent events must accept."""

from __future__ import annotations

from dataclasses import replace

from mockserver.wire.variation import Variation

LINES = (
    Variation(
        "crlf",
        "lines end with CR LF (WHATWG, event stream format)",
        lambda framing: replace(framing, newline="\r\n"),
        layer="lines",
    ),
    Variation(
        "no-done",
        "the stream ends without [DONE], as api.openai.com ends Responses streams",
        lambda framing: replace(framing, closing=""),
        layer="lines",
    ),
    Variation(
        "no-event-line",
        "events have no event: line; their type is in the data",
        lambda framing: replace(framing, event_line=False),
        layer="lines",
    ),
    Variation(
        "no-space",
        "no space after the colon of a field (WHATWG: it is optional)",
        lambda framing: replace(framing, space=""),
        layer="lines",
    ),
)
