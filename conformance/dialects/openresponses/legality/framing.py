"""framing: server-sent events that hold JSON, named by their type, ended by ``[DONE]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.framing import Framing
    from conformance.dialects.openresponses.stream import Event, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    if stream.framing is None:
        return
    yield from wire.defects(stream.sent, stream.framing)
    yield from _names(stream, stream.framing)
    yield from _done(stream)


def _names(stream: Stream, framing: Framing) -> Iterator[Defect]:
    typed = [event for event in stream.all if isinstance(event.data.get("type"), str)]
    unnamed = [event for event in typed if event.n not in framing.names]
    wrong = [e for e in typed if e.n in framing.names and framing.names[e.n] != e.type]
    if wrong:
        first = wrong[0]
        yield Defect(
            f"the event line says {framing.names[first.n]!r}, the data {first.type!r}"
            + _more(wrong),
            right="an event: line that is the type in the data",
            about=topics("names"),
            event=first.n,
        )
    if unnamed:
        # Nothing contradicts the type in the data, and it is that which SDKs read.
        yield Defect(
            f"no event: line stands before the data of {unnamed[0].type}" + _more(unnamed),
            right="an event: line that is the type in the data",
            about=topics("names"),
            event=unnamed[0].n,
            level="should",
        )


def _more(events: list[Event]) -> str:
    return f" (and in {len(events) - 1} more)" if len(events) > 1 else ""


def _done(stream: Stream) -> Iterator[Defect]:
    if stream.terminal and not any(one.kind == "done" for one in stream.sent):
        # The one server that all clients must get along with does not send it.
        yield Defect(
            "the stream ends without [DONE] (api.openai.com does so too, clients must take both)",
            right="data: [DONE] behind the terminal event",
            about=topics("done"),
            level="should",
        )


RULE = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; event: equals type; [DONE] at the end; "
    "no id:",
    source="OpenResponses § Streaming HTTP Responses; WHATWG HTML § 9.2.6; observed",
    check=_check,
)
