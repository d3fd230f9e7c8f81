"""finish-once: each choice finishes once, and nothing of it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Choice


def _check(chat: Chat) -> Iterator[Defect]:
    last = next((one.n for one in reversed(chat.sent) if one.kind in ("event", "raw")), None)
    broken = frozenset({"lost"}) | topics(f"data:{last}")
    if not chat.choices and not chat.failures:
        yield Defect(
            "the stream ends, and no choice of it ever began",
            right="at least one choice, and its finish",
            about=topics("end"),
            event=last,
            needs=broken,
        )
    for choice in chat.choices.values():
        if choice.finish is None and not chat.failures:
            yield Defect(
                f"the stream ends, but {choice} does not",
                right="a finish_reason in the last chunk of a choice",
                about=topics("end", f"finish:{choice.index}"),
                event=last,
                needs=broken | topics(*(f"event:{step.n}" for step in choice.steps)),
            )
        yield from _behind(choice)


def _behind(choice: Choice) -> Iterator[Defect]:
    finish = choice.finish
    late = [step for step in choice.steps if finish and step.n > finish.n]
    if finish and late:
        what = "finishes again" if late[0].reason else "goes on"
        more = f" (and {len(late) - 1} more)" if len(late) > 1 else ""
        yield Defect(
            f"{choice} {what} behind its finish{more}",
            right="nothing of a choice behind its finish",
            about=topics(*(f"late:{step.n}" for step in late)),
            event=late[0].n,
            needs=topics(*(f"event:{step.n}" for step in late)),
        )


RULE = Rule(
    id="finish-once",
    holds="each choice has one finish_reason, in its last chunk; an error may stand in its place",
    source="OpenAI § Chat completion chunk object; observed",
    check=_check,
)
