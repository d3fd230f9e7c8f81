"""``Transfer``: how the bytes of a stream travel in an HTTP response.

Source: RFC 9110 (HTTP semantics) and RFC 9112 (HTTP/1.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Coding = Literal["", "gzip", "deflate", "br"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """An HTTP response around a stream; the default is what every client knows: HTTP/1.1, chunked.

    - ``coding`` compresses the body for clients that accept it (RFC 9110 § 8.4.1).
    - ``delimited`` says what ends the body: its last chunk, its length, or the connection's end
      in HTTP/1.0 (RFC 9112 § 6.3).
    - ``extension`` is written behind the size of each chunk (RFC 9112 § 7.1.1), and ``trailer`` is
      a field behind the last chunk (RFC 9112 § 7.1.2).
    - ``length`` is announced in place of the body's own, where that is what ends it.
    - ``informational`` are the statuses of responses before the final one (RFC 9110 § 15.2).
    - ``headers_after`` delays the headers by so many seconds.
    """

    coding: Coding = ""
    delimited: Literal["chunks", "length", "close"] = "chunks"
    extension: str = ""
    trailer: tuple[str, str] | None = None
    informational: tuple[int, ...] = ()
    length: int | None = None
    headers_after: float = 0.0

    @property
    def is_written_by_hand(self) -> bool:
        """Whether a web framework cannot send it."""
        return bool(
            self.delimited != "chunks" or self.extension or self.trailer or self.informational
        )


PLAIN = Transfer()
