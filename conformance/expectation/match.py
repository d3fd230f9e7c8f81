"""A pattern for the text of a run: exact, except for a few additions that adapters may make.

Blocks are messages, thoughts and refusals. An adapter may separate them by up to ``MAX_SPACE``
white space characters. An adapter that adds a blank before its calls may do so at one of the
``blanks``. A failure may be reported after the text. If a cancellation ``cut`` the text, any prefix
of it matches.

Rules and schemas use the same regular expression, in the subset of the syntax that ECMA-262 and
Python share.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

MAX_SPACE = 4

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_ANY = r"[\s\S]"
# '$' alone would match before a last line break in Python.
_END = rf"$(?!{_ANY})"
# Between two blocks.
_SPACE = rf"\s{{0,{MAX_SPACE}}}"


def literal(text: str) -> str:
    """A pattern that matches exactly this text."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), text)


def common_prefix_length(a: str, b: str) -> int:
    """The length of the longest common prefix of two texts, in code points."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))


def _any_prefix(tokens: list[str]) -> str:
    """A pattern that matches every prefix of a sequence of patterns.

    It is built by halves and not nested for each token, which would overflow the stacks of engines.
    """
    if len(tokens) < 2:
        return "".join(f"(?:{token})?" for token in tokens)
    half = len(tokens) // 2
    first, second = tokens[:half], tokens[half:]
    return f"(?:{_any_prefix(first)}|{''.join(first)}{_any_prefix(second)})"


def _one_blank(pieces: list[tuple[str, bool]]) -> str:
    """A pattern for the pieces with exactly one blank, after one of those that allow it.

    Each piece is a pattern with whether a blank may follow. The pattern is built by halves, so that
    its length is O(n log k) for a text of n characters and k pieces.
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
    """A pattern for a text: ``blocks`` in order, then a reported failure if there is a ``tail``.

    An empty ``tail`` matches any words, any other one words that contain it exactly once.
    ``blanks`` are offsets in the text at which one blank may be added; ``cut`` allows any prefix.
    """

    blocks: tuple[str, ...] = ("",)
    tail: str | None = None
    cut: bool = False
    blanks: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The text without optional white space and without a tail."""
        return "".join(self.blocks)

    @property
    def exact(self) -> bool:
        """Whether only one text matches."""
        return len(self.blocks) == 1 and self.tail is None and not (self.cut or self.blanks)

    @cached_property
    def pattern(self) -> str:
        """The regular expression."""
        body = _SPACE.join(literal(block) for block in self.blocks)
        if blanked := _one_blank(list(self._pieces())):
            body = f"(?:{body}|{blanked})"
        if not self.cut:
            return f"^{body}{self._tail()}{_END}"
        return f"^(?:{_any_prefix(list(self._tokens()))}|{body}{self._tail()}){_END}"

    def _tokens(self) -> Iterator[str]:
        """A pattern for each character, and for what may be between two of them."""
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
        """A pattern for the text between two blanks, and whether a blank may follow it."""
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
        """The pattern for the failure that is reported after the text."""
        if self.tail is None:
            return ""
        if not self.tail:
            return rf"{_ANY}*\S{_ANY}*"
        once = literal(self.tail)
        other = f"(?:(?!{once}){_ANY})*"
        return f"{other}{once}{other}"

    def schema(self) -> dict[str, Any]:
        """A JSON Schema that the text satisfies if it matches."""
        return {"const": self.text} if self.exact else {"type": "string", "pattern": self.pattern}

    def fits(self, text: str) -> bool:
        """Whether a text matches."""
        return text == self.text if self.exact else bool(re.search(self.pattern, text))
