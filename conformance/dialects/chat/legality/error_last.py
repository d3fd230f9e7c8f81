"""error-last: an error ends the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat


def _check(chat: Chat) -> Iterator[Defect]:
    if not chat.failures:
        return
    error = chat.failures[0]
    behind = [one for one in chat.sent if one.kind == "event" and one.n > error]
    if behind:
        more = f" (and {len(behind) - 1} more)" if len(behind) > 1 else ""
        yield Defect(
            f"the stream goes on behind an error{more}",
            right="nothing behind an error but [DONE]",
            about=topics(*(f"late:{one.n}" for one in behind)),
            event=behind[0].n,
            needs=topics(f"event:{error}"),
        )


RULE = Rule(
    id="error-last",
    holds="nothing follows an error but [DONE]",
    # OpenAI's reference has no words about an error inside a stream.
    source="openai; observed",
    check=_check,
    level="should",
)
