"""Compares the texts of the upstream's tools with the values in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.call_arguments import read_arguments, same_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def joined(deltas: Iterable[str]) -> str:
    """Deltas as one text; halves of a character from two deltas are joined."""
    return "".join(deltas).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def values_in(value: Any) -> Iterator[Any]:
    """A JSON value and all values in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(inner, list | tuple) or isinstance(value, dict):
        for each in inner:
            yield from values_in(each)


def texts_in(value: Any) -> list[str]:
    return [each for each in values_in(value) if isinstance(each, str)]


def missing_from(value: Any, due: Iterable[str]) -> list[str]:
    """The texts that are not in a value, as texts of their own or in longer ones.

    A text that is JSON may be in the value as the JSON value that it stands for.
    """
    texts = texts_in(value)
    return [each for each in due if not _is_in(each, texts, value)]


def _is_in(due: str, texts: list[str], value: Any) -> bool:
    if any(due in each for each in texts):
        return True
    read = read_arguments(due)
    is_value = read.kind in ("object", "not an object") and not isinstance(read.value, str)
    return is_value and any(same_json(read.value, each) for each in values_in(value))


def inexact(value: Any, due: Iterable[str]) -> list[str]:
    """The texts that are not in a value as texts of their own."""
    texts = texts_in(value)
    return [each for each in due if each not in texts]
