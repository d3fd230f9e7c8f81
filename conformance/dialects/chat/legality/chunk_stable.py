"""chunk-stable: all chunks are of one completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Level, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat

_FIELDS: dict[str, Level] = {"id": "must", "created": "must", "model": "should"}


def _check(chat: Chat) -> Iterator[Defect]:
    for name, level in _FIELDS.items():
        told = [(chunk.n, chunk.data[name]) for chunk in chat.chunks if name in chunk.data]
        others = [(n, value) for n, value in told if value != told[0][1]]
        if others:
            n, value = others[0]
            yield Defect(
                f"the {name} is {value!r} here and {told[0][1]!r} at first",
                right=f"the same {name} in every chunk",
                about=topics(f"stable:{name}"),
                event=n,
                level=level,
                needs=topics(*(f"event:{at}" for at, _ in (told[0], *others))),
            )


RULE = Rule(
    id="chunk-stable",
    holds="id and time are the same in every chunk, and the model is (should)",
    source="OpenAI § Chat completion chunk object",
    check=_check,
)
