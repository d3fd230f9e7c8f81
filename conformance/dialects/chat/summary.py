"""Describes a chunk on one line: its type and the content of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.short_text import compact, failure, quoted
from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def summary(type_: str, data: Mapping[str, Any]) -> str:
    """The type of a chunk, the content of its choices, and its error."""
    words = [word for choice in chunks.choices(data) for word in _choice(choice)]
    is_chunk = isinstance(data.get("choices"), list)
    error = failure(data.get("error") or ({} if is_chunk else data))
    return " ".join(filter(None, (type_, *words, error)))


def _choice(choice: Mapping[str, Any]) -> Iterator[str]:
    """The content of one choice of a chunk; the index 0 is not shown."""
    if at := chunks.index(choice):
        yield f"[{at}]"
    delta = mapping(choice.get("delta"))
    for name, value in delta.items():
        if name == "tool_calls":
            yield from map(_call, chunks.calls(delta))
        elif isinstance(value, str) and value and name != "role":
            yield f"{name} {quoted(value)}"
    yield from filter(None, [text(choice.get("finish_reason")), failure(choice.get("error"))])


def _call(fragment: Mapping[str, Any]) -> str:
    """A fragment of a call: its id, its name and its piece of the arguments."""
    function = mapping(fragment.get("function") or fragment.get("custom"))
    named = (fragment.get("id"), function.get("name"))
    # An empty id or name is shown: it differs from none.
    words = ("''" if word == "" else text(word) for word in named)
    arguments = function.get("arguments", function.get("input"))
    shown = quoted(arguments) if isinstance(arguments, str) and arguments else ""
    without = "" if function else f"call[{compact(fragment.get('index', 0))}] without function"
    return " ".join(word for word in (*words, shown, without) if word)
