"""Makes the long description, which a package index shows, from the README.

An index has no files beside the description, and its headings have no anchors. So links to files
and headings lead to the project's repository, ``Repository`` in ``project.urls``. As long as none
is named there, a link to a file becomes its text and the path of the file, and pictures are left
out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?://)(?P<path>[^)\s]+)\)")


def long_description(readme: str, repository: str) -> str:
    """The README with links that need no files; ``repository`` is empty if there is none."""

    def link(found: re.Match[str]) -> str:
        picture, text, path = found.group("picture", "text", "path")
        if not repository:
            return "" if picture else _as_text(text, path)
        kind = "" if path.startswith("#") else "/raw/HEAD/" if picture else "/blob/HEAD/"
        return f"{picture}[{text}]({repository.rstrip('/')}{kind}{path})"

    # Every second piece is a block of code.
    pieces = _FENCED.split(readme)
    pieces[::2] = [_LINK.sub(link, piece) for piece in pieces[::2]]
    return "".join(pieces)


def _as_text(text: str, path: str) -> str:
    """A link without its target: readers find the file by its path."""
    return text if path.startswith("#") or text.strip("`") == path else f"{text} ({path})"


def get_metadata_hook() -> type:
    """The hook that Hatchling runs when it reads the metadata of the project."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class LongDescription(MetadataHookInterface):
        def update(self, metadata: dict[str, Any]) -> None:
            readme = Path(self.root, "README.md").read_text("utf-8")
            text = long_description(readme, metadata.get("urls", {}).get("Repository", ""))
            metadata["readme"] = {"content-type": "text/markdown", "text": text}

    return LongDescription
