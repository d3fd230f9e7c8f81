"""The server-sent event framing of a stream, which a decoder strips and framing rules check."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Framing:
    """The framing of the items of a stream (events, comments, raw bytes), by their numbers.

    ``names`` maps items to their ``event:`` fields, without those that have no such line. ``lines``
    holds the line on which each item begins, counted from 1. ``ids`` are the items with an ``id:``
    field, ``garbled`` those with invalid UTF-8. ``unterminated`` is the last item if no blank line
    follows it. ``newlines`` are the line endings that occur. ``content_type`` is empty if the
    headers are not known.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    garbled: tuple[int, ...] = ()
    unterminated: int | None = None
    newlines: frozenset[str] = frozenset()
    content_type: str = ""
