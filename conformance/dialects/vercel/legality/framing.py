"""framing: server-sent events that are data lines only, each of them JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects import wire
from mockserver.dialects.vercel.parts import UI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.framing import Framing
    from conformance.dialects.vercel.stream import Parts


def _check(stream: Parts) -> Iterator[Defect]:
    if stream.framing is None:
        return
    yield from wire.defects(stream.sent, stream.framing)
    yield from _names(stream.framing)
    # Nobody waits for it, and only messages are said to end by it.
    if stream.dialect == UI and not any(one.kind == "done" for one in stream.sent):
        yield Defect(
            "the stream ends without [DONE]",
            right="data: [DONE] at the end",
            about=topics("done"),
            level="should",
            needs=topics("done", "end"),
        )


def _names(framing: Framing) -> Iterator[Defect]:
    if framing.names:
        first, name = next(iter(framing.names.items()))
        more = f" (and {len(framing.names) - 1} more)" if len(framing.names) > 1 else ""
        yield Defect(
            f"an event has the name {name!r}{more}, which no client reads",
            right="no event: line",
            about=topics("names"),
            event=first,
            level="should",
        )


RULE = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; no event: and no id: (should); a stream of "
    "UI messages has [DONE] at the end (should), any other may have it",
    source="AI SDK UI § Stream Protocols; WHATWG HTML § 9.2.6; @ai-sdk/gateway",
    check=_check,
)
