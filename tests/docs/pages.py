"""Reads the pages of the documentation and their code blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "docs/findings/*.md")
    for path in ROOT.glob(pattern)
)

OUTPUTS = ("text", "json")

_FENCE = re.compile(r"\s*(```+|~~~+)(.*)")
_FILE = re.compile(r"(?:#|//) (\S+\.(?:py|ya?ml|toml|mjs|json))\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A code block; ``output`` is the output that the page shows for it, if it shows any."""

    place: str
    language: str
    text: str
    output: str | None = None

    @property
    def file(self) -> str:
        """The path in the comment on its first line; empty if there is none."""
        named = _FILE.match(self.text)
        return named[1] if named else ""

    @property
    def content(self) -> str:
        """Its text without the comment that has the path."""
        return _FILE.sub("", self.text, count=1)


def blocks(page: str) -> list[Block]:
    """The code blocks of a page in order, each with the output that follows it."""
    found: list[Block] = []
    for block in _fences(page):
        if block.language not in OUTPUTS:
            found.append(block)
            continue
        assert found, f"{block.place}: output of nothing"
        before = found.pop()
        assert before.output is None, f"{block.place}: a second output of {before.place}"
        found.append(Block(before.place, before.language, before.text, block.text))
    return found


def _fences(page: str) -> Iterator[Block]:
    lines = ROOT.joinpath(page).read_text("utf-8").splitlines(keepends=True)
    opened: tuple[int, str, str] | None = None
    for n, line in enumerate(lines):
        fence = _FENCE.fullmatch(line.rstrip("\n"))
        if opened is None and fence:
            assert line.startswith("```"), f"{page}:{n + 1}: fences stand at the margin, as ```"
            opened = (n, fence[1], fence[2].strip())
        elif opened and fence and fence[1] == opened[1] and not fence[2]:
            yield Block(f"{page}:{opened[0] + 1}", opened[2], "".join(lines[opened[0] + 1 : n]))
            opened = None
    assert opened is None, f"{page}:{opened[0] + 1 if opened else 0}: this fence never ends"
