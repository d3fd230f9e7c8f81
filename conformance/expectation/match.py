"""A text that is known exactly, up to white space where blocks join and a failure told behind it.

Blocks are messages, thoughts and refusals: where the text is all that a host sees, an adapter may
set them apart by a little white space (``MOST_SPACE``), or leave them as they are.

Where an adapter puts a blank in front of its calls, one may stand at one of the ``blanks``.

Where it was ``cut`` by a cancellation, each of its beginnings will do as well.

The pattern is the whole definition: the schema carries it and the rules ask it, in the subset of
regular expressions on which ECMA-262 and Python agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_SPACE = 4

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_ANY = r"[\s\S]"
# '$' alone would match before a last line break in Python.
_END = rf"$(?!{_ANY})"
# Between two blocks.
_SPACE = rf"\s{{0,{MOST_SPACE}}}"


def literal(text: str) -> str:
    """A pattern that matches this text only."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), text)


def shared(a: str, b: str) -> int:
    """How many characters two texts share from their start."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))


def _beginning(tokens: list[str]) -> str:
    """A pattern that matches each beginning of a sequence.

    It is halved, not nested token by token: no engine's stack ends a text.
    """
    if len(tokens) < 2:
        return "".join(f"(?:{token})?" for token in tokens)
    half = len(tokens) // 2
    first, second = tokens[:half], tokens[half:]
    return f"(?:{_beginning(first)}|{''.join(first)}{_beginning(second)})"


def _one_blank(pieces: list[tuple[str, bool]]) -> str:
    """A pattern that matches the pieces and one blank, behind one of those that may have it.

    It is halved, so that its length is that of the text by the logarithm of its pieces.
    """
    if not any(may for _, may in pieces):
        return ""
    if len(pieces) == 1:
        return f"{pieces[0][0]} "
    first, second = pieces[: len(pieces) // 2], pieces[len(pieces) // 2 :]
    before, after = ("".join(piece for piece, _ in half) for half in (first, second))
    ways = [
        *([_one_blank(first) + after] if any(may for _, may in first) else []),
        *([before + _one_blank(second)] if any(may for _, may in second) else []),
    ]
    return f"(?:{'|'.join(ways)})"


@dataclass(frozen=True)
class Match:
    """``blocks`` in order, white space between them; then, with a ``tail``, a told failure.

    An empty ``tail`` stands for any words, another one for words that hold it exactly once.
    """

    blocks: tuple[str, ...] = ("",)
    tail: str | None = None
    cut: bool = False
    # Offsets in the text.
    blanks: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The text without free white space or a tail."""
        return "".join(self.blocks)

    @property
    def exact(self) -> bool:
        return len(self.blocks) == 1 and self.tail is None and not (self.cut or self.blanks)

    @cached_property
    def pattern(self) -> str:
        body = _SPACE.join(literal(block) for block in self.blocks)
        if blanked := _one_blank(list(self._pieces())):
            body = f"(?:{body}|{blanked})"
        if not self.cut:
            return f"^{body}{self._tail()}{_END}"
        return f"^(?:{_beginning(list(self._tokens()))}|{body}{self._tail()}){_END}"

    def _tokens(self) -> Iterator[str]:
        """One character after the other, and what may stand between two of them."""
        at = 0
        for n, block in enumerate(self.blocks):
            if n:
                yield _SPACE
            for char in block:
                at += 1
                yield literal(char)
                if at in self.blanks:
                    yield " ?"

    def _pieces(self) -> Iterator[tuple[str, bool]]:
        """The text from blank to blank, and whether there may be one behind it."""
        start = 0
        for n, block in enumerate(self.blocks):
            inner = [
                offset - start for offset in self.blanks if start < offset <= start + len(block)
            ]
            edges = [0, *inner, len(block)]
            before = _SPACE if n else ""
            for a, b in pairwise(edges):
                yield before + literal(block[a:b]), b in inner and a < b
                before = ""
            start += len(block)

    def _tail(self) -> str:
        if self.tail is None:
            return ""
        if not self.tail:
            return f"{_ANY}+"
        once = literal(self.tail)
        other = f"(?:(?!{once}){_ANY})*"
        return f"{other}{once}{other}"

    def schema(self) -> dict[str, Any]:
        """A JSON Schema for the text."""
        return {"const": self.text} if self.exact else {"type": "string", "pattern": self.pattern}

    def fits(self, text: str) -> bool:
        """Does the text match?"""
        return text == self.text if self.exact else bool(re.search(self.pattern, text))
