"""usage-once: usage is told once, in a chunk of its own, which is the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Chunk


def _check(chat: Chat) -> Iterator[Defect]:
    told = [chunk for chunk in chat.chunks if chunk.data.get("usage")]
    if wrong := [(chunk, why) for chunk in told if (why := _wrong(chat, chunk, told))]:
        chunk, why = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield Defect(
            f"usage {why}{more}",
            right="usage in the last chunk, whose choices are empty, and null or nothing elsewhere",
            about=topics("usage"),
            event=chunk.n,
            needs=topics(*(f"event:{each.n}" for each in told)),
        )


def _wrong(chat: Chat, chunk: Chunk, told: list[Chunk]) -> str:
    if chunk.data["choices"]:
        return "stands in a chunk with a choice"
    if chunk is not told[-1]:
        return "is told twice"
    return "stands in a chunk that is not the last" if chunk is not chat.chunks[-1] else ""


RULE = Rule(
    id="usage-once",
    holds="usage is told once, in a chunk without choices, which is the last",
    source="OpenAI § stream_options.include_usage",
    check=_check,
)
