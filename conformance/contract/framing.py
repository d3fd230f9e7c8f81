"""How a stream stood on the wire: what a decoder takes away and a rule about framing looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Framing:
    """The framing of the things in a stream, which are known by their number.

    ``names`` are the ``event:`` fields (none where the line is missing), ``lines`` where each thing
    begins, counted from 1. ``ids`` carried an ``id:`` field, ``garbled`` hold bytes that are no
    UTF-8, ``unterminated`` is the last one where no blank line follows it. ``newlines`` are the
    line ends that occur, ``content_type`` is empty where the headers are not known.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    garbled: tuple[int, ...] = ()
    unterminated: int | None = None
    newlines: frozenset[str] = frozenset()
    content_type: str = ""
