"""What a file looks like that is no capture: by its name, or by how its text begins."""

from __future__ import annotations

import re
from pathlib import PurePath

_BY_NAME = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".htm": "a page in HTML",
    ".html": "a page in HTML",
    ".yaml": "YAML",
    ".yml": "YAML",
    ".toml": "TOML",
    ".py": "a program",
    ".js": "a program",
    ".mjs": "a program",
    ".ts": "a program",
}
_BY_TEXT = (
    (re.compile(rb"\s*<(?:!doctype html|html)\b", re.IGNORECASE), "a page in HTML"),
    (re.compile(rb"\s*<\?xml\b"), "XML"),
    (re.compile(rb"#!"), "a program"),
    (re.compile(rb"(?:#{1,6} \S|```|---\r?\n)"), "Markdown"),
)


def looks_like(data: bytes, name: str) -> str:
    """What a file is, in words; empty if nothing says so."""
    by_name = _BY_NAME.get(PurePath(name).suffix.lower(), "")
    return by_name or next((what for begins, what in _BY_TEXT if begins.match(data)), "")
