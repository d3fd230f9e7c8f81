"""Rules on chunks and choices: one completion, roles, finishes and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import wire
from conformance.findings.finding import Defect, Level, Rule, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat, Choice, Chunk


def _finish_once(chat: Chat) -> Iterator[Defect]:
    """Each choice finishes once, and nothing of it follows."""
    last = next((one.n for one in reversed(chat.sent) if one.kind in ("event", "raw")), None)
    broken = frozenset({"lost"}) | topics(f"data:{last}")
    if not chat.choices and not chat.failures:
        yield prose_defect(
            "the stream ends, and no choice of it ever began",
            right="at least one choice, and its finish",
            about=topics("end"),
            event=last,
            needs=broken,
        )
    for choice in chat.choices.values():
        if choice.finish is None and not chat.failures:
            yield prose_defect(
                f"the stream ends, but {choice} does not",
                right="a finish_reason in the last chunk of a choice",
                about=topics("end", f"finish:{choice.index}"),
                event=last,
                needs=broken | topics(*(f"event:{step.n}" for step in choice.steps)),
            )
        yield from _after_finish(choice)


def _after_finish(choice: Choice) -> Iterator[Defect]:
    finish = choice.finish
    late = [step for step in choice.steps if finish and step.n > finish.n]
    if finish and late:
        what = "finishes again" if late[0].reason else "goes on"
        yield from wire.late(
            late,
            f"{choice} {what} behind its finish",
            "nothing of a choice behind its finish",
            topics(*(f"event:{step.n}" for step in late)),
        )


FINISH_ONCE = Rule(
    id="finish-once",
    holds="each choice has one finish_reason, in its last chunk; an error may stand in its place",
    source="OpenAI § Chat completion chunk object; observed",
    check=_finish_once,
)


_STABLE: dict[str, Level] = {"id": "must", "created": "must", "model": "should"}


def _chunk_stable(chat: Chat) -> Iterator[Defect]:
    """The id, time and model are the same in all chunks."""
    for name, level in _STABLE.items():
        found = [(chunk.n, chunk.data[name]) for chunk in chat.chunks if name in chunk.data]
        others = [(n, value) for n, value in found if value != found[0][1]]
        if others:
            n, value = others[0]
            yield prose_defect(
                f"the {name} is {value!r} here and {found[0][1]!r} at first",
                right=f"the same {name} in every chunk",
                about=topics(f"stable:{name}"),
                event=n,
                level=level,
                needs=topics(*(f"event:{at}" for at, _ in (found[0], *others))),
            )


CHUNK_STABLE = Rule(
    id="chunk-stable",
    holds="id and time are the same in every chunk, and the model is (should)",
    source="OpenAI § Chat completion chunk object",
    check=_chunk_stable,
)


def _role_first(chat: Chat) -> Iterator[Defect]:
    """The first delta of a choice has the role."""
    for choice in chat.choices.values():
        first = choice.steps[0]
        if first.delta.get("role") != "assistant":
            yield prose_defect(
                f"{choice} begins without its role",
                right="role: assistant in the first delta of a choice",
                about=topics(f"role:{choice.index}"),
                event=first.n,
                needs=topics(f"event:{first.n}"),
            )


ROLE_FIRST = Rule(
    id="role-first",
    holds="the first delta of a choice has the role",
    source="OpenAI § Streaming; observed",
    check=_role_first,
    level="should",
)


def _usage_once(chat: Chat) -> Iterator[Defect]:
    """Usage is reported once, in the last chunk, which has no choices."""
    found = [chunk for chunk in chat.chunks if chunk.data.get("usage")]
    if wrong := [(chunk, why) for chunk in found if (why := _misplaced(chat, chunk, found))]:
        chunk, why = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield prose_defect(
            f"usage {why}{more}",
            right="usage in the last chunk, whose choices are empty, and null or nothing elsewhere",
            about=topics("usage"),
            event=chunk.n,
            needs=topics(*(f"event:{each.n}" for each in found)),
        )


def _misplaced(chat: Chat, chunk: Chunk, found: list[Chunk]) -> str:
    if chunk.data["choices"]:
        return "stands in a chunk with a choice"
    if chunk is not found[-1]:
        return "is told twice"
    return "stands in a chunk that is not the last" if chunk is not chat.chunks[-1] else ""


USAGE_ONCE = Rule(
    id="usage-once",
    holds="usage is told once, in a chunk without choices, which is the last",
    source="OpenAI § stream_options.include_usage",
    check=_usage_once,
)
