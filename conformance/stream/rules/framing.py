"""framing: server-sent events that hold JSON, named by their type, ended by ``[DONE]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings import Defect, topics
from conformance.stream.rule import StreamRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.stream.evidence import Event, Stream
    from conformance.stream.framing import Framing

_MEDIA_TYPE = "text/event-stream"
_SHOWN = 40


def _check(stream: Stream) -> Iterator[Defect]:
    if stream.framing is None:
        return
    yield from _content_type(stream.framing)
    yield from _cut_off(stream.framing)
    yield from _data(stream, stream.framing)
    yield from _names(stream, stream.framing)
    yield from _ids(stream.framing)
    yield from _done(stream)


def _content_type(framing: Framing) -> Iterator[Defect]:
    if framing.content_type and framing.content_type != _MEDIA_TYPE:
        yield Defect(
            f"the response says that it is {framing.content_type}",
            right=f"Content-Type: {_MEDIA_TYPE}",
            about=topics("content-type"),
        )


def _cut_off(framing: Framing) -> Iterator[Defect]:
    last = framing.unterminated
    if last is not None:
        yield Defect(
            f"the stream ends inside an event (line {framing.lines[last]}): clients drop it",
            right="a blank line behind every event, the last one too",
            about=topics("end", "done", f"data:{last}", "lost"),
            event=last,
        )


def _data(stream: Stream, framing: Framing) -> Iterator[Defect]:
    for one in stream.sent:
        if one.kind == "raw":
            text = str(one.data)
            shown = repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
            where = f" (line {framing.lines[one.n]})" if framing.lines else ""
            yield Defect(
                f"the data is not JSON{where}: {shown}",
                right="one JSON object as the data of each event",
                about=topics(f"data:{one.n}", "lost"),
                event=one.n,
            )
    for n in framing.garbled:
        yield Defect(
            f"the data (line {framing.lines[n]}) holds bytes that are no UTF-8",
            right="UTF-8, with no character cut in two",
            about=topics(f"data:{n}", "lost"),
            event=n,
        )


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


def _ids(framing: Framing) -> Iterator[Defect]:
    if framing.ids:
        yield Defect(
            f"{len(framing.ids)} event(s) have an id: field",
            right="no id: field",
            about=topics("ids"),
            event=framing.ids[0],
            level="should",
        )


def _done(stream: Stream) -> Iterator[Defect]:
    done = [k for k, one in enumerate(stream.sent) if one.kind == "done"]
    behind = [one for one in stream.sent[done[0] + 1 :] if one.kind != "comment"] if done else []
    if behind:
        yield Defect(
            f"{len(behind)} more event(s) come behind [DONE]",
            right="nothing behind [DONE], which ends the stream",
            about=topics("done", *(f"late:{one.n}" for one in behind)),
            event=behind[0].n,
        )
    if not done and stream.terminal:
        # The one server that all clients must get along with does not send it.
        yield Defect(
            "the stream ends without [DONE] (api.openai.com does so too, clients must take both)",
            right="data: [DONE] behind the terminal event",
            about=topics("done"),
            level="should",
        )


RULE = StreamRule(
    id="framing",
    holds="text/event-stream; one JSON object as data; event: equals type; [DONE] at the end; "
    "no id:",
    source="OpenResponses § Streaming HTTP Responses; WHATWG HTML § 9.2.6; observed",
    check=_check,
)
