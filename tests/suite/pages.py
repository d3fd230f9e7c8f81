"""The page of results as its script shows it: with what its cells open unpacked."""

import gzip
import re
from base64 import b64decode

_PACKED = re.compile(r'<script type="text/plain" id="case-(\d+)">([^<]*)</script>')


def sections(page: str) -> list[str]:
    """What the cells open, as HTML: a section for each case."""
    return [gzip.decompress(b64decode(packed)).decode() for _, packed in _PACKED.findall(page)]


def unpacked(page: str) -> str:
    """The page with its sections in place of what they are packed in."""
    opened = iter(sections(page))
    return _PACKED.sub(lambda _: next(opened), page)
