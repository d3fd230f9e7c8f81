"""Rules on the fragments of calls, and on the joined arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.arguments import shortened
from conformance.findings.finding import Defect, Level, Rule, prose_defect, topics
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Choice, Fragment


def _call_fragments(chat: Chat) -> Iterator[Defect]:
    """The first fragment of a call has its id, type and name; the index identifies the rest."""
    for choice in chat.choices.values():
        yield from _fragments_of(choice)


def _fragments_of(choice: Choice) -> Iterator[Defect]:
    ids: dict[int, str] = {}
    for fragment in choice.fragments:
        at = fragment.index
        if at is None:
            continue
        if at not in ids:
            yield from _first(choice, fragment, at, ids)
            ids[at] = fragment.id
        elif fragment.id and fragment.id != ids[at]:
            yield _wrong_fragment(
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
        yield _wrong_fragment(choice, fragment, words, right, level="should" if late else None)
    elif fragment.id in ids.values():
        words = f"begins another call with the id {fragment.id!r}"
        yield _wrong_fragment(choice, fragment, words, "an id of its own for each call")
    elif at != len(ids):
        words = f"begins the call {len(ids)} of its choice with the index {at}"
        yield _wrong_fragment(choice, fragment, words, "calls counted from 0", counted=True)


def _names(fragment: Fragment) -> dict[str, object]:
    """The fields that the first fragment of a call must have: id, type and name."""
    return {
        "id": fragment.id,
        "type": fragment.data.get("type"),
        "name": fragment.function.get("name"),
    }


def _of_call(choice: Choice, at: int) -> list[Fragment]:
    """The fragments of the call with this index."""
    return [fragment for fragment in choice.fragments if fragment.index == at]


def _wrong_fragment(
    choice: Choice,
    fragment: Fragment,
    words: str,
    right: str,
    *,
    counted: bool = False,
    level: Level | None = None,
) -> Defect:
    return prose_defect(
        f"a fragment in {choice} {words}",
        right=right,
        # After one wrong index, all later ones are wrong too.
        about=topics(f"count:{choice.index}" if counted else f"call:{choice.index}:{fragment.n}"),
        event=fragment.n,
        level="should" if counted else level,
        needs=topics(f"event:{fragment.n}"),
    )


CALL_FRAGMENTS = Rule(
    id="call-fragments",
    # A fragment must have its index only, and a finished call the rest.
    holds="a call has id, type and name, in its first fragment (should); each call has an index "
    "and an id of its own; indexes count from 0 (should)",
    source="OpenAI § Chat completion chunk object; openai; observed",
    check=_call_fragments,
)


_CALLED = "tool_calls"


def _arguments_parse(chat: Chat) -> Iterator[Defect]:
    """The arguments of a finished call are JSON."""
    for choice in chat.choices.values():
        if choice.finish is None or choice.finish.reason != _CALLED:
            continue
        for at, (n, arguments) in _arguments(choice).items():
            # Blank arguments mean an empty object.
            if read_arguments(arguments).kind == "not JSON":
                yield prose_defect(
                    f"the arguments of call {at} in {choice} are not JSON: "
                    f"{shortened(arguments)!r}",
                    right="fragments that joined are JSON, where the answer finishes with calls",
                    about=topics(f"arguments:{choice.index}:{at}"),
                    event=n,
                    needs=_preconditions(choice),
                )


def _arguments(choice: Choice) -> dict[int, tuple[int, str]]:
    """The joined arguments of each call, by its index, with the event of its last fragment."""
    found: dict[int, tuple[int, str]] = {}
    for fragment in choice.fragments:
        if fragment.index is not None:
            _, before = found.get(fragment.index, (0, ""))
            joined = before + text(fragment.function.get("arguments"))
            found[fragment.index] = (fragment.n, joined)
    return found


def _preconditions(choice: Choice) -> frozenset[str]:
    """The topics that must be right before arguments are joined: the fragments of the choice."""
    numbers = {fragment.n for fragment in choice.fragments}
    return topics(*(f"{what}:{n}" for n in numbers for what in ("event", f"call:{choice.index}")))


ARGUMENTS_PARSE = Rule(
    id="arguments-parse",
    holds="where an answer finishes with tool_calls, the arguments of each parse as JSON",
    source="streamproof",
    check=_arguments_parse,
    level="should",
)
