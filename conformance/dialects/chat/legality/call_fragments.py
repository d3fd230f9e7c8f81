"""call-fragments: a call begins with all that names it, and its index tells its fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Level, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Choice, Fragment


def _check(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        yield from _of(choice)


def _of(choice: Choice) -> Iterator[Defect]:
    ids: dict[int, str] = {}
    for fragment in choice.fragments:
        at = fragment.index
        if at is None:
            continue
        if at not in ids:
            yield from _first(choice, fragment, at, ids)
            ids[at] = fragment.id
        elif fragment.id and fragment.id != ids[at]:
            yield _defect(
                choice,
                fragment,
                f"has the id {fragment.id!r}, and the call at its index {at} is {ids[at]!r}",
                "an index of its own for each call",
            )
            ids[at] = fragment.id


def _first(choice: Choice, fragment: Fragment, at: int, ids: dict[int, str]) -> Iterator[Defect]:
    missing = [name for name, value in _names(fragment).items() if not value]
    if missing:
        words = f"begins a call without its {' and its '.join(missing)}"
        right = "id, type and name in the first fragment of a call"
        late = all(any(_names(f)[name] for f in _of_call(choice, at)) for name in missing)
        yield _defect(choice, fragment, words, right, level="should" if late else None)
    elif fragment.id in ids.values():
        words = f"begins another call with the id {fragment.id!r}"
        yield _defect(choice, fragment, words, "an id of its own for each call")
    elif at != len(ids):
        words = f"begins the call {len(ids)} of its choice with the index {at}"
        yield _defect(choice, fragment, words, "calls counted from 0", counted=True)


def _names(fragment: Fragment) -> dict[str, object]:
    """What names a call."""
    return {
        "id": fragment.id,
        "type": fragment.data.get("type"),
        "name": fragment.function.get("name"),
    }


def _of_call(choice: Choice, at: int) -> list[Fragment]:
    return [fragment for fragment in choice.fragments if fragment.index == at]


def _defect(
    choice: Choice,
    fragment: Fragment,
    words: str,
    right: str,
    *,
    counted: bool = False,
    level: Level | None = None,
) -> Defect:
    return Defect(
        f"a fragment in {choice} {words}",
        right=right,
        # What is counted wrong once is so for all that follow.
        about=topics(f"count:{choice.index}" if counted else f"call:{choice.index}:{fragment.n}"),
        event=fragment.n,
        level="should" if counted else level,
        needs=topics(f"event:{fragment.n}"),
    )


RULE = Rule(
    id="call-fragments",
    # A fragment must have its index only, and a finished call the rest.
    holds="a call has id, type and name, in its first fragment (should); each call has an index "
    "and an id of its own; indexes count from 0 (should)",
    source="OpenAI § Chat completion chunk object; openai; observed",
    check=_check,
)
