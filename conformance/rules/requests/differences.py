"""Compares what a request has with what the host gave: values, and results of calls."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.findings.finding import Kind
from conformance.rules.requests.evidence import SentBack
from mockserver.dialects.conversation import ToolResult, results_in
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


class Changed(Kind):
    """A value that the host set, or that the upstream sent, is missing, or has another value."""

    path: str
    due: Any
    sent: Any
    is_missing: bool

    right = "{due:json-80}"
    same_by = ("path", "is_missing")


def differences(path: str, due: Any, came: Any, *, in_lists: bool = True) -> Iterator[Change]:
    """The changed values in a value; sent objects may have more fields.

    Lists of the same length are compared element by element if ``in_lists``.
    """
    if isinstance(due, dict) and isinstance(came, dict) and due:
        inner = [(f"{path}.{name}", value, came.get(name, NOT_SENT)) for name, value in due.items()]
    elif in_lists and isinstance(due, list) and isinstance(came, list) and len(due) == len(came):
        pairs = enumerate(zip(due, came, strict=True))
        inner = [(f"{path}[{n}]", right, sent) for n, (right, sent) in pairs]
    else:
        if came is NOT_SENT:
            yield Change(path, due, None, is_missing=True)
        elif not same_json(came, due):
            yield Change(path, due, came, is_missing=False)
        return
    for each in inner:
        yield from differences(*each, in_lists=in_lists)


def matched_results(sent: SentBack, *, hosted: bool) -> Iterator[tuple[ToolResult, ToolResult]]:
    """The results of functions or of hosted tools from the host, each with one that was sent."""
    results = {due.id: due for due in results_in(sent.handed_over) if bool(due.type) == hosted}
    for came in results_in(sent.received):
        if due := results.get(sent.upstream_id(came.id)):
            yield due, came


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
