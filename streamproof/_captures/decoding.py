"""Decodes the bytes of captures: content encodings of HTTP, compressed files, and UTF-16.

What is compressed is read as far as it goes, since a stream may be cut off. Brotli needs the
package ``brotli``, and Zstandard needs Python 3.14 or the package ``backports.zstd``.

Source: RFC 9110 § 8.4.1 (gzip, deflate); RFC 7932 (br); RFC 8878 (zstd).
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mockserver.foundation.faults import InputError, Place, Problem

MOST_DECOMPRESSED = 64 << 20
"""The bytes that are read of compressed data."""

_GZIP = 16 + zlib.MAX_WBITS
# Of a piece that is damaged nothing is read.
_PIECE = 1 << 10
_LIMIT = MOST_DECOMPRESSED + 1
_GZIP_BEGINS = b"\x1f\x8b"
_ZSTD_BEGINS = b"\x28\xb5\x2f\xfd"
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BINARY_WITHIN = 16
_NOT_WHOLE = "The compressed data breaks off, or is damaged, and is read as far as it goes."


class Reader(Protocol):
    """Decompresses data piece by piece."""

    def read(self, piece: bytes) -> bytes:
        """What the next piece of the data is before compression."""
        ...

    @property
    def at_end(self) -> bool:
        """Whether the compressed data ends here."""
        ...


class Unreadable(Exception):
    """The data is not compressed like that, or nothing here reads it; the message says which."""


class Decompressed(NamedTuple):
    """The bytes before compression, and whether they are all there are."""

    data: bytes
    is_whole: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """A note if something is missing."""
        return () if self.is_whole else (_NOT_WHOLE,)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The bytes of a file as UTF-8 or another byte encoding, and notes about how they got there."""

    data: bytes
    notes: tuple[str, ...] = ()


def decompress(data: bytes, encoding: str) -> Decompressed:
    """The bytes before a content encoding of HTTP was applied, as far as they go, at most 64 MiB.

    Raises Unreadable.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return Decompressed(data)
    if name not in _READERS:
        raise Unreadable(f"the content encoding {name!r:.40} is unknown")
    return _read_all(data, _READERS[name]())


def readable_encodings() -> frozenset[str]:
    """The content encodings that can be read here."""
    found = {"identity"}
    for name, reader in _READERS.items():
        with suppress(Unreadable):
            reader()
            found.add(name)
    return frozenset(found)


def decode_file(data: bytes, name: str) -> Decoded:
    """The bytes of a file without compression and UTF-16. Raises InputError if it is binary."""
    encoding = next((e for b, e in _BEGINNINGS.items() if data.startswith(b)), "")
    notes: tuple[str, ...] = ()
    if encoding:
        try:
            found = decompress(data, encoding)
        except Unreadable as error:
            raise InputError(Problem(str(error), Place(name))) from None
        if not found.data:
            raise InputError(Problem(f"this is {encoding}, with nothing in it", Place(name)))
        data, notes = found.data, found.notes
    if charset := _UTF_16.get(data[:2]):
        data = data[2:].decode(charset, "replace").encode("utf-8", "surrogatepass")
        said = "The file is in UTF-16, as PowerShell writes it, so its line ends may be new, too."
        notes = (*notes, said)
    if b"\0" in data[:_BINARY_WITHIN]:
        hint = "save the answer as text; UTF-16 needs a byte order mark"
        raise InputError(Problem("this is binary data, and no stream", Place(name), hint))
    return Decoded(data, notes)


def _read_all(data: bytes, reader: Reader) -> Decompressed:
    """What is decompressed before the data ends, is found to be damaged, or is too long."""
    found = bytearray()
    for start in range(0, len(data), _PIECE):
        try:
            found += reader.read(data[start : start + _PIECE])
        except Exception as error:  # each package has errors of its own
            if not found:
                raise Unreadable("the data is damaged, or is not compressed like that") from error
            return Decompressed(bytes(found), is_whole=False)
        if len(found) > MOST_DECOMPRESSED:
            return Decompressed(bytes(found[:MOST_DECOMPRESSED]), is_whole=False)
    return Decompressed(bytes(found), reader.at_end)


class _Gzip:
    """Reads gzip; several members are read as one, and what follows them is left out."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._has_ended = False

    @property
    def at_end(self) -> bool:
        return self._has_ended or self._member.eof

    def read(self, piece: bytes) -> bytes:
        found = b""
        while piece and not self._has_ended:
            if self._member.eof and piece[:1] != _GZIP_BEGINS[:1]:
                self._has_ended = True
                break
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)
            found += self._member.decompress(piece, _LIMIT)
            piece = self._member.unused_data
        return found


class _Deflate:
    """Reads deflate with zlib's header, as RFC 9110 says, or without, as some servers send it."""

    def __init__(self) -> None:
        self._reader: Any = None

    @property
    def at_end(self) -> bool:
        return bool(self._reader and self._reader.eof)

    def read(self, piece: bytes) -> bytes:
        if not self._reader:
            with_header = piece[:1] and piece[0] & 0x0F == zlib.DEFLATED
            self._reader = zlib.decompressobj(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)
        return bytes(self._reader.decompress(piece, _LIMIT))


class _Brotli:
    def __init__(self) -> None:
        self._reader = _import("br", "brotli").Decompressor()

    @property
    def at_end(self) -> bool:
        return bool(self._reader.is_finished())

    def read(self, piece: bytes) -> bytes:
        return bytes(self._reader.process(piece, output_buffer_limit=_LIMIT))


class _Zstd:
    def __init__(self) -> None:
        try:
            module = importlib.import_module("compression.zstd")
        except ImportError:
            module = _import("zstd", "backports.zstd")
        self._reader = module.ZstdDecompressor()

    @property
    def at_end(self) -> bool:
        return bool(self._reader.eof)

    def read(self, piece: bytes) -> bytes:
        return b"" if self.at_end else bytes(self._reader.decompress(piece, _LIMIT))


def _import(encoding: str, module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        why = f"the content encoding {encoding} cannot be read here: pip install {module}"
        raise Unreadable(why) from None


_READERS: dict[str, Callable[[], Reader]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
_BEGINNINGS = {_GZIP_BEGINS: "gzip", _ZSTD_BEGINS: "zstd"}
