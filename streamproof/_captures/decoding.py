"""Decodes the bytes of captures: content encodings of HTTP, compressed files, and UTF-16.

What is compressed is read as far as it goes, since a stream may be cut off. Brotli needs the
package ``brotli``, and Zstandard needs Python 3.14 or the package ``backports.zstd``.

Source: RFC 9110 § 8.4.1 (gzip, deflate); RFC 7932 (br); RFC 8878 (zstd).
"""

import importlib
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from mockserver.foundation.faults import InputError, Place, Problem

MOST_DECOMPRESSED = 64 << 20
"""The bytes that are read of compressed data."""

# Of a piece that is damaged nothing is read.
_PIECE = 1 << 10
_LIMIT = MOST_DECOMPRESSED + 1
_GZIP_BEGINS = b"\x1f\x8b"
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BINARY_WITHIN = 16
_NOT_WHOLE = ("The compressed data breaks off, or is damaged, and is read as far as it goes.",)


class Unreadable(Exception):
    """The data is not compressed like that, or nothing here reads it; the message says which."""


class Decoded(NamedTuple):
    """Bytes as they were before compression or UTF-16, and notes about how they got there."""

    data: bytes
    notes: tuple[str, ...] = ()


def decompress(data: bytes, encoding: str) -> Decoded:
    """The bytes before a content encoding of HTTP was applied, as far as they go, at most 64 MiB.

    Raises Unreadable.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return Decoded(data)
    if name not in _READERS:
        raise Unreadable(f"the content encoding {name!r:.40} is unknown")
    return _read_all(data, _READERS[name])


def readable_encodings() -> frozenset[str]:
    """The content encodings that can be read here."""
    found = {"identity"}
    for name, reader in _READERS.items():
        with suppress(Unreadable):
            reader(b"")
            found.add(name)
    return frozenset(found)


def decode_file(data: bytes, name: str) -> Decoded:
    """The bytes of a file without compression and UTF-16. Raises InputError if it is binary."""
    encoding = next((e for b, e in _BEGINNINGS.items() if data.startswith(b)), "")
    notes: tuple[str, ...] = ()
    if encoding:
        try:
            data, notes = decompress(data, encoding)
        except Unreadable as error:
            raise InputError(Problem(str(error), Place(name))) from None
        if not data:
            raise InputError(Problem(f"this is {encoding}, with nothing in it", Place(name)))
    if charset := _UTF_16.get(data[:2]):
        data = data[2:].decode(charset, "replace").encode("utf-8", "surrogatepass")
        said = "The file is in UTF-16, as PowerShell writes it, so its line ends may be new, too."
        notes = (*notes, said)
    if b"\0" in data[:_BINARY_WITHIN]:
        hint = "save the answer as text; UTF-16 needs a byte order mark"
        raise InputError(Problem("this is binary data, and no stream", Place(name), hint))
    return Decoded(data, notes)


def _read_all(data: bytes, make: Callable[[bytes], Any]) -> Decoded:
    """What is decompressed before the data ends, is found to be damaged, or is too long.

    Several members of gzip are read as one, and what follows the end is left out.
    """
    found, reader = bytearray(), make(data)
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        try:
            while piece:
                if reader.eof and not piece.startswith(_GZIP_BEGINS[:1]):
                    return Decoded(bytes(found))
                reader = make(piece) if reader.eof else reader
                found += reader.decompress(piece, _LIMIT)
                piece = reader.unused_data
        except Exception as error:  # each package has errors of its own
            if not found:
                raise Unreadable("the data is damaged, or is not compressed like that") from error
            return Decoded(bytes(found), _NOT_WHOLE)
        if len(found) > MOST_DECOMPRESSED:
            return Decoded(bytes(found[:MOST_DECOMPRESSED]), _NOT_WHOLE)
    return Decoded(bytes(found), () if reader.eof else _NOT_WHOLE)


def _make_gzip(_data: bytes) -> Any:
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


def _make_deflate(data: bytes) -> Any:
    """Many servers leave out the header of zlib."""
    with_header = data[:1] and data[0] & 0x0F == zlib.DEFLATED
    return zlib.decompressobj(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)


class _Brotli:
    """Decompresses as the objects of zlib do."""

    unused_data = b""

    def __init__(self, _data: bytes) -> None:
        self._reader = _import("br", "brotli").Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._reader.is_finished())

    def decompress(self, piece: bytes, most: int) -> bytes:
        return bytes(self._reader.process(piece, output_buffer_limit=most))


def _make_zstd(_data: bytes) -> Any:
    try:
        module = importlib.import_module("compression.zstd")
    except ImportError:
        module = _import("zstd", "backports.zstd")
    return module.ZstdDecompressor()


def _import(encoding: str, module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        why = f"the content encoding {encoding} cannot be read here: pip install {module}"
        raise Unreadable(why) from None


_READERS: dict[str, Callable[[bytes], Any]] = {
    "gzip": _make_gzip,
    "x-gzip": _make_gzip,
    "deflate": _make_deflate,
    "br": _Brotli,
    "zstd": _make_zstd,
}
_BEGINNINGS = {_GZIP_BEGINS: "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
