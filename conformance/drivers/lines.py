"""Lines out of pieces of any length, none of them longer than a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Overlong(bytes):
    """The beginning of a line that is too long; the rest of it was thrown away."""


class Lines:
    """Puts lines together; what is behind the last line break waits for the next piece."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = bytearray()
        self._skips = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that these bytes complete, without their line breaks; empty ones are none."""
        first, *others = data.split(b"\n")
        yield from self._grown(first, ends=bool(others))
        for n, piece in enumerate(others):
            yield from self._grown(piece, ends=n < len(others) - 1)

    def _grown(self, piece: bytes, *, ends: bool) -> Iterator[bytes]:
        if not self._skips:
            self._held += piece
            if len(self._held) > self._most:
                yield Overlong(self._held[:100])
                self._held.clear()
                self._skips = True
        if ends:
            line = bytes(self._held).strip()
            if line and not self._skips:
                yield line
            self._held.clear()
            self._skips = False

    @property
    def rest(self) -> bytes:
        """What has come of a line that is not complete."""
        return bytes(self._held)
