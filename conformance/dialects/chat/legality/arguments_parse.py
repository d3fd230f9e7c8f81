"""arguments-parse: the arguments of a finished call are JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.arguments import parses, shown
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Choice

_CALLED = "tool_calls"


def _check(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        if choice.finish is None or choice.finish.reason != _CALLED:
            continue
        for at, (n, arguments) in _arguments(choice).items():
            # A call without a word of arguments has an empty object.
            if arguments.strip() and not parses(arguments):
                yield Defect(
                    f"the arguments of call {at} in {choice} are not JSON: {shown(arguments)!r}",
                    right="fragments that joined are JSON, where the answer finishes with calls",
                    about=topics(f"arguments:{choice.index}:{at}"),
                    event=n,
                    needs=_sound(choice),
                )


def _arguments(choice: Choice) -> dict[int, tuple[int, str]]:
    """The joined arguments of each call, with where it was heard of last."""
    told: dict[int, tuple[int, str]] = {}
    for fragment in choice.fragments:
        if fragment.index is not None:
            _, before = told.get(fragment.index, (0, ""))
            grown = before + text(fragment.function.get("arguments"))
            told[fragment.index] = (fragment.n, grown)
    return told


def _sound(choice: Choice) -> frozenset[str]:
    """Without one fragment nobody knows what the others make up."""
    numbers = {fragment.n for fragment in choice.fragments}
    return topics(*(f"{what}:{n}" for n in numbers for what in ("event", f"call:{choice.index}")))


RULE = Rule(
    id="arguments-parse",
    holds="where an answer finishes with tool_calls, the arguments of each parse as JSON",
    source="streamproof",
    check=_check,
    level="should",
)
