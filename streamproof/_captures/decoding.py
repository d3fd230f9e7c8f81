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
from typing import Any

from mockserver.faults import InputError, Place, Problem

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

Step = Callable[[bytes], bytes]
"""Decompresses the next piece of the data."""


class Unreadable(Exception):
    """The data is not compressed like that, or nothing here reads it; the message says which."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The bytes of a file as UTF-8 or another byte encoding, and notes about how they got there."""

    data: bytes
    notes: tuple[str, ...] = ()


def decompressed(data: bytes, encoding: str) -> bytes:
    """The bytes before a content encoding of HTTP was applied, as far as they go, at most 64 MiB.

    Raises Unreadable.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return data
    if name not in _STEPS:
        raise Unreadable(f"the content encoding {name!r:.40} is unknown")
    return _all(data, _STEPS[name]())


def readable_encodings() -> frozenset[str]:
    """The content encodings that can be read here."""
    found = {"identity"}
    for name, step in _STEPS.items():
        with suppress(Unreadable):
            step()
            found.add(name)
    return frozenset(found)


def decoded_file(data: bytes, name: str) -> Decoded:
    """The bytes of a file without compression and UTF-16. Raises InputError if it is binary."""
    encoding = next((e for b, e in _BEGINNINGS.items() if data.startswith(b)), "")
    notes: tuple[str, ...] = ()
    if encoding:
        try:
            data = decompressed(data, encoding)
        except Unreadable as error:
            raise InputError(Problem(str(error), Place(name))) from None
    if charset := _UTF_16.get(data[:2]):
        data = data[2:].decode(charset, "replace").encode("utf-8", "surrogatepass")
        said = "The file is in UTF-16, as PowerShell writes it, so its line ends may be new, too."
        notes = (said,)
    if b"\0" in data[:_BINARY_WITHIN]:
        hint = "save the answer as text; UTF-16 needs a byte order mark"
        raise InputError(Problem("this is binary data, and no stream", Place(name), hint))
    return Decoded(data, notes)


def _all(data: bytes, step: Step) -> bytes:
    """What is decompressed before the data ends, is found to be damaged, or is too long."""
    found = bytearray()
    for start in range(0, len(data), _PIECE):
        try:
            found += step(data[start : start + _PIECE])
        except Exception as error:  # each package has errors of its own
            if not found:
                raise Unreadable("the data is damaged, or is not compressed like that") from error
            break
        if len(found) > MOST_DECOMPRESSED:
            break
    return bytes(found[:MOST_DECOMPRESSED])


def _gzip() -> Step:
    return _of_zlib(_GZIP)


def _deflate() -> Step:
    """Deflate with zlib's header as RFC 9110 says, or without one, as some servers send it."""
    state: list[Step] = []

    def step(piece: bytes) -> bytes:
        if not state:
            with_header = piece[:1] and piece[0] & 0x0F == zlib.DEFLATED
            state.append(_of_zlib(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS))
        return state[0](piece)

    return step


def _of_zlib(window: int) -> Step:
    reader = zlib.decompressobj(window)
    return lambda piece: reader.decompress(piece, _LIMIT)


def _brotli() -> Step:
    reader = _imported("br", "brotli").Decompressor()
    return lambda piece: bytes(reader.process(piece, output_buffer_limit=_LIMIT))


def _zstd() -> Step:
    try:
        module = importlib.import_module("compression.zstd")
    except ImportError:
        module = _imported("zstd", "backports.zstd")
    reader = module.ZstdDecompressor()
    return lambda piece: bytes(reader.decompress(piece, _LIMIT))


def _imported(encoding: str, module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        why = f"the content encoding {encoding} cannot be read here: pip install {module}"
        raise Unreadable(why) from None


_STEPS: dict[str, Callable[[], Step]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
_BEGINNINGS = {_GZIP_BEGINS: "gzip", _ZSTD_BEGINS: "zstd"}
