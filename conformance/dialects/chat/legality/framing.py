"""framing: server-sent events without names that hold JSON, ended by ``[DONE]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.framing import Framing
    from conformance.dialects.chat.stream import Chat


def _check(chat: Chat) -> Iterator[Defect]:
    if chat.framing is None:
        return
    yield from wire.defects(chat.sent, chat.framing)
    yield from _names(chat.framing)
    yield from _done(chat)


def _names(framing: Framing) -> Iterator[Defect]:
    if framing.names:
        first, name = next(iter(framing.names.items()))
        more = f" (and {len(framing.names) - 1} more)" if len(framing.names) > 1 else ""
        yield Defect(
            f"an event has the name {name!r}{more}: SDKs pass over what is named",
            right="no event: line",
            about=topics("names"),
            event=first,
        )


def _done(chat: Chat) -> Iterator[Defect]:
    if not chat.failures and not any(one.kind == "done" for one in chat.sent):
        yield Defect(
            "the stream ends without [DONE]",
            right="data: [DONE] at the end",
            about=topics("done"),
            needs=topics("done", "end"),
        )


RULE = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; no event: and no id:; [DONE] at the end",
    source="OpenAI § stream; WHATWG HTML § 9.2.6; openai",
    check=_check,
)
