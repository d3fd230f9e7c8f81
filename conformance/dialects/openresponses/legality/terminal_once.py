"""terminal-once: a response ends once, and nothing follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.stream import DONE
from mockserver.dialects.openresponses.events import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream

_TERMINAL = " or ".join(sorted(TERMINAL))


def _check(stream: Stream) -> Iterator[Defect]:
    if stream.terminal is None:
        last = [one.n for one in stream.sent if one.kind in ("event", "raw")][-1:]
        yield Defect(
            "the stream ends, but the response does not",
            right=f"{_TERMINAL} as the last event",
            about=topics("end"),
            event=next(iter(last), None),
            # Where the last event cannot be read, it may have been the end.
            needs=topics(*(f"{what}:{n}" for n in last for what in ("data", "unread"))),
        )
        return
    late = [event for event in stream.late if not event.is_extension]
    if late:
        again = next((event for event in late if event.type in TERMINAL), late[0])
        more = f" (and {len(late) - 1} more)" if len(late) > 1 else ""
        yield Defect(
            f"{again.type} comes after {stream.terminal.type}{more}",
            right="nothing after the terminal event but [DONE]",
            about=topics(*(topic for event in late for topic in _about(event))),
            event=again.n,
        )


def _about(event: Event) -> Iterator[str]:
    yield f"late:{event.n}"
    if event.type == DONE:
        yield f"done:{event.index('output_index')}"


RULE = Rule(
    id="terminal-once",
    holds="exactly one of response.completed, response.failed and response.incomplete, and "
    "nothing after it",
    # A failure while streaming must be told, so a stream cannot merely stop.
    source="OpenResponses § Streaming Errors; OpenResponses § streaming diagram; observed",
    check=_check,
)
