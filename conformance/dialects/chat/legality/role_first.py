"""role-first: a choice begins by saying who speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat


def _check(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        first = choice.steps[0]
        if first.delta.get("role") != "assistant":
            yield Defect(
                f"{choice} begins without its role",
                right="role: assistant in the first delta of a choice",
                about=topics(f"role:{choice.index}"),
                event=first.n,
                needs=topics(f"event:{first.n}"),
            )


RULE = Rule(
    id="role-first",
    holds="the first delta of a choice has the role",
    source="OpenAI § Streaming; observed",
    check=_check,
    level="should",
)
