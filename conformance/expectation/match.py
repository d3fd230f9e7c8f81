"""A text that is known exactly, up to white space where blocks join and a failure told behind it.

Blocks are messages, thoughts and refusals: where the text is all that a host sees, an adapter may
set them apart by a little white space (``MOST_SPACE``), or leave them as they are.

Where it was ``cut`` by a cancellation, each of its beginnings will do as well.

The pattern is the whole definition: the schema carries it and the rules ask it, in the subset of
regular expressions on which ECMA-262 and Python agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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


@dataclass(frozen=True)
class Match:
    """``blocks`` in order, white space between them; then, with a ``tail``, a told failure.

    An empty ``tail`` stands for any words, another one for words that hold it exactly once.
    """

    blocks: tuple[str, ...] = ("",)
    tail: str | None = None
    cut: bool = False

    @property
    def text(self) -> str:
        """The text without free white space or a tail."""
        return "".join(self.blocks)

    @property
    def exact(self) -> bool:
        return len(self.blocks) == 1 and self.tail is None and not self.cut

    @cached_property
    def pattern(self) -> str:
        body = _SPACE.join(literal(block) for block in self.blocks)
        if not self.cut:
            return f"^{body}{self._tail()}{_END}"
        first, *others = [[literal(char) for char in block] for block in self.blocks]
        beginning = _beginning([*first, *(token for block in others for token in (_SPACE, *block))])
        return f"^(?:{beginning}|{body}{self._tail()}){_END}"

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
