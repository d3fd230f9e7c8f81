"""Compares values in a request with those that the host set."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from mockserver.foundation.call_arguments import read_arguments, same_json
from mockserver.foundation.json_fields import listed, mapping, text

NOT_SENT = object()
"""The value of a field that a request does not have."""


class Change(NamedTuple):
    """A value that was set, and what was sent at its path; ``sent`` is None if it is missing."""

    path: str
    due: Any
    sent: Any
    is_missing: bool


def differences(path: str, due: Any, came: Any) -> Iterator[Change]:
    """The changed values in a value; sent objects may have more fields."""
    if not (isinstance(due, dict) and isinstance(came, dict) and due):
        if came is NOT_SENT:
            yield Change(path, due, None, is_missing=True)
        elif not same_json(came, due):
            yield Change(path, due, came, is_missing=False)
        return
    for name, value in due.items():
        yield from differences(f"{path}.{name}", value, came.get(name, NOT_SENT))


def differences_in_lists(path: str, due: Any, came: Any) -> Iterator[Change]:
    """The ``differences`` of a value whose lists are compared element by element."""
    if isinstance(due, list) and isinstance(came, list) and len(due) == len(came):
        for n, (right, sent) in enumerate(zip(due, came, strict=True)):
            yield from differences_in_lists(f"{path}[{n}]", right, sent)
    elif isinstance(due, dict) and isinstance(came, dict) and due:
        for name, value in due.items():
            yield from differences_in_lists(f"{path}.{name}", value, came.get(name, NOT_SENT))
    else:
        yield from differences(path, due, came)


def same_text(came: Any, due: str) -> bool:
    """Whether a result is this text, a list of its parts, or the same JSON formatted otherwise."""
    said = text_of(came)
    if said is None or said == due:
        return said is not None
    a, b = read_arguments(said), read_arguments(due)
    return a.kind == b.kind in ("object", "not an object") and same_json(a.value, b.value)


def is_json_of(came: Any, due: str) -> bool:
    """Whether a result is this text as a JSON string."""
    return (said := text_of(came)) is not None and read_arguments(said).value == due


def text_of(output: Any) -> str | None:
    """The text of a result; None where it is neither a text nor a list of text parts."""
    if isinstance(output, list) and output:
        return "".join(text(mapping(part).get("text")) for part in listed(output))
    return output if isinstance(output, str) else None
