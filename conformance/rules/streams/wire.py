"""What every stream of server-sent events that hold JSON is held to, whatever its protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent

_MEDIA_TYPE = "text/event-stream"
_SHOWN = 40


def defects(sent: Sequence[SentEvent], framing: Framing) -> Iterator[Defect]:
    """The media type, the last event, the data, the ids, and what comes behind ``[DONE]``."""
    yield from _content_type(framing)
    yield from _cut_off(framing)
    yield from _data(sent, framing)
    yield from _ids(framing)
    yield from _behind_done(sent)


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


def _data(sent: Sequence[SentEvent], framing: Framing) -> Iterator[Defect]:
    for one in sent:
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


def _ids(framing: Framing) -> Iterator[Defect]:
    if framing.ids:
        yield Defect(
            f"{len(framing.ids)} event(s) have an id: field",
            right="no id: field",
            about=topics("ids"),
            event=framing.ids[0],
            level="should",
        )


def _behind_done(sent: Sequence[SentEvent]) -> Iterator[Defect]:
    done = [k for k, one in enumerate(sent) if one.kind == "done"]
    behind = [one for one in sent[done[0] + 1 :] if one.kind != "comment"] if done else []
    if behind:
        yield Defect(
            f"{len(behind)} more event(s) come behind [DONE]",
            right="nothing behind [DONE], which ends the stream",
            about=topics("done", *(f"late:{one.n}" for one in behind)),
            event=behind[0].n,
        )
