"""Splits bytes that come in pieces into lines of a limited length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Overlong(bytes):
    """The first 100 bytes of a line that is too long; the rest is discarded."""


class Lines:
    """Collects lines of at most ``max_length`` bytes; keeps the incomplete last one."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._incomplete = bytearray()
        self._is_skipping = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that these bytes complete, without line breaks. Blank lines are skipped."""
        first, *others = data.split(b"\n")
        yield from self._extend(first, ends=bool(others))
        for n, piece in enumerate(others):
            yield from self._extend(piece, ends=n < len(others) - 1)

    def _extend(self, piece: bytes, *, ends: bool) -> Iterator[bytes]:
        if not self._is_skipping:
            self._incomplete += piece
            if len(self._incomplete) > self._max_length:
                yield Overlong(self._incomplete[:100])
                self._incomplete.clear()
                self._is_skipping = True
        if ends:
            line = bytes(self._incomplete).strip()
            if line and not self._is_skipping:
                yield line
            self._incomplete.clear()
            self._is_skipping = False

    @property
    def rest(self) -> bytes:
        """The bytes of the incomplete last line."""
        return bytes(self._incomplete)
