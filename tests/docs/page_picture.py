"""Makes ``docs/page.png``, the README's picture of the page of a report.

It is what Chromium draws. Fonts differ between machines, so no test compares pixels: the picture
carries the text of the page that it was made from, which must be that of the page as it is now.
"""

import asyncio
import base64
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.commands import call
from tests.docs.pages import ROOT
from tests.suite import FEW, run
from tests.suite.browser import browsing

PICTURE = ROOT / "docs" / "page.png"
SIZE = 1280, 800

_ADAPTERS = (
    "docs/first-adapter/adapter.yaml",
    "conformance/dialects/openresponses/reference/openresponses-vscode.yaml",
)
# In the others, what the first adapter raises has words of its HTTP library.
_CASES = "not any/cut-inside"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEYWORD, _COMPRESSED = b"Description", b"\0\1\0\0\0"


def write() -> None:
    with TemporaryDirectory() as folder:
        picture, text = asyncio.run(taken(Path(folder)))
    PICTURE.write_bytes(with_text(picture, text))


async def taken(folder: Path) -> tuple[bytes, str]:
    """The picture of the page of a small run, and the visible text of the whole page."""
    page = _report(folder)
    width, height = SIZE
    async with browsing(folder) as tab:
        await tab.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        light = {"name": "prefers-color-scheme", "value": "light"}
        await tab.ask("Emulation.setEmulatedMedia", features=[light])
        await tab.ask("Emulation.setScrollbarsHidden", hidden=True)
        await tab.go(page.as_uri())
        shot = await tab.ask("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"]), await tab.evaluate("document.body.innerText")


def _report(folder: Path) -> Path:
    """The page of a few scenarios, as a first adapter and the reference adapter pass them."""
    results, page = folder / "out.jsonl", folder / "out.html"
    adapters = (word for path in _ADAPTERS for word in ("--adapter", path))
    ran = run(*FEW, "-k", _CASES, *adapters, "-q", "--results", results)
    assert ran.code == 1, ran.text
    done = call("report", results, "--html", page)
    assert done.code == 0, done.err
    return page


def with_text(picture: bytes, text: str) -> bytes:
    """A PNG file with this description, in place of the one that it has."""
    # Compressed, with neither a language nor a keyword in another one
    described = (b"iTXt", _KEYWORD + _COMPRESSED + zlib.compress(text.encode(), 9))
    *chunks, end = (chunk for chunk in _chunks(picture) if chunk[0] != b"iTXt")
    return _SIGNATURE + b"".join(_chunk(*chunk) for chunk in (*chunks, described, end))


def text_of(picture: bytes) -> str:
    (body,) = (body for kind, body in _chunks(picture) if kind == b"iTXt")
    return zlib.decompress(body.removeprefix(_KEYWORD + _COMPRESSED)).decode()


def size_of(picture: bytes) -> tuple[int, int]:
    header = next(body for kind, body in _chunks(picture) if kind == b"IHDR")
    width, height = struct.unpack(">II", header[:8])
    return width, height


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    assert picture.startswith(_SIGNATURE)
    at = len(_SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += length + 12


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
