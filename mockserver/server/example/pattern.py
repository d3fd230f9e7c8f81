"""Parses the regular expressions of JSON Schema (ECMA-262), and makes texts that they match.

Lookbehind and references to groups are not supported: a pattern with them raises NoExample.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from mockserver.server.example.limits import MAX_TEXT, NoExample

_UNLIMITED = 1 << 30
_MAX_PATTERN = 1000


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class: in one of the ranges or Unicode categories, or in none of them."""

    ranges: tuple[tuple[str, str], ...] = ()
    categories: tuple[str, ...] = ()
    classes: tuple[Chars, ...] = ()
    negated: bool = False

    def has(self, char: str) -> bool:
        found = (
            any(low <= char <= high for low, high in self.ranges)
            or (self.categories and unicodedata.category(char).startswith(self.categories))
            or any(each.has(char) for each in self.classes)
        )
        return bool(found) != self.negated


@dataclass(frozen=True, slots=True)
class Sequence:
    """Its items, one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item, ``least`` to ``most`` times."""

    item: Node
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A place between characters: ``^``, ``$``, ``b`` (edge of a word) or ``B`` (none)."""

    kind: str


@dataclass(frozen=True, slots=True)
class Look:
    """A place where the item follows, or does not."""

    item: Node
    negated: bool


Node = Chars | Sequence | Choice | Repeat | Edge | Look

_DIGITS = Chars((("0", "9"),))
WORD = Chars((("a", "z"), ("A", "Z"), ("0", "9"), ("_", "_")))
_SPACE = Chars(tuple((c, c) for c in "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"))
_CLASSES = {"d": _DIGITS, "w": WORD, "s": _SPACE}
_CLASSES |= {name.upper(): Chars(classes=(each,), negated=True) for name, each in _CLASSES.items()}
_LINE_ENDS = Chars(tuple((c, c) for c in "\n\r\u2028\u2029"), negated=True)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}
_CODES = {"x": 2, "u": 4}
_COUNTS = {"*": (0, _UNLIMITED), "+": (1, _UNLIMITED), "?": (0, 1)}
_GROUPS = {"?:": None, "?=": False, "?!": True}


@lru_cache(maxsize=64)
def parsed(pattern: str) -> Node:
    """The syntax tree of a pattern. Raises NoExample if it is invalid, too long or unsupported."""
    if len(pattern) > _MAX_PATTERN:
        raise NoExample(f"a pattern of {len(pattern):,} characters is too long")
    try:
        parser = _Parser(pattern)
        node = parser.choice()
        if parser.rest:
            raise NoExample(f"the pattern {pattern!r} cannot be read at {parser.rest[:20]!r}")
    except (IndexError, ValueError, RecursionError):
        raise NoExample(f"the pattern {pattern!r} cannot be read") from None
    return node


class _Parser:
    """A recursive descent through a pattern; ``rest`` is what was not read yet."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.rest = pattern

    def choice(self) -> Node:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return Choice(tuple(options)) if len(options) > 1 else options[0]

    def _sequence(self) -> Node:
        items = []
        while self.rest and self.rest[0] not in "|)":
            items.append(self._repeated(self._item()))
        return Sequence(tuple(items))

    def _item(self) -> Node:
        match char := self._next():
            case "^" | "$":
                return Edge(char)
            case ".":
                return _LINE_ENDS
            case "(":
                return self._group()
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise ValueError(char)
        return _just(char)

    def _group(self) -> Node:
        kind = next((each for each in _GROUPS if self._take(each)), "")
        if not kind and self._take("?<"):
            if self.rest[0] in "=!":
                raise NoExample(f"lookbehind in the pattern {self.pattern!r} is not supported")
            self.rest = self.rest[self.rest.index(">") + 1 :]
        item = self.choice()
        if not self._take(")"):
            raise ValueError(self.rest)
        negated = _GROUPS.get(kind)
        return item if negated is None else Look(item, negated)

    def _repeated(self, item: Node) -> Node:
        if self.rest[:1] in _COUNTS and self.rest:
            least, most = _COUNTS[self._next()]
        elif not (counts := self._counts()):
            return item
        else:
            least, most = counts
        self._take("?")
        return Repeat(item, least, most)

    def _counts(self) -> tuple[int, int] | None:
        """The numbers of ``{3}``, ``{3,}`` or ``{3,5}``; None if the next is another character."""
        inside, closed, rest = self.rest[1:].partition("}")
        least, comma, most = inside.partition(",")
        numbers = least.isdigit() and (most.isdigit() or not most)
        if not (self.rest.startswith("{") and closed and numbers):
            return None
        self.rest = rest
        if not comma:
            return int(least), int(least)
        return int(least), int(most) if most else _UNLIMITED

    def _class(self) -> Chars:
        negated = self._take("^")
        ranges, classes = [], []
        while not self._take("]"):
            low = self._class_member()
            if isinstance(low, Chars):
                classes.append(low)
            elif self.rest.startswith("-") and self.rest[1] != "]":
                self._next()
                if isinstance(high := self._class_member(), Chars):
                    raise ValueError(high)
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        return Chars(tuple(ranges), (), tuple(classes), negated)

    def _class_member(self) -> str | Chars:
        """A character of a class, or a class within it."""
        if (char := self._next()) != "\\":
            return char
        if self._take("b"):
            return "\b"
        found = self._escape()
        if isinstance(found, Chars) and len(found.ranges) == 1 and not found.negated:
            low, high = found.ranges[0]
            return low if low == high else found
        if isinstance(found, Chars):
            return found
        raise ValueError(found)

    def _escape(self) -> Chars | Edge:
        char = self._next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "bB":
            return Edge(char)
        if char in "pP":
            return self._property(negated=char == "P")
        if char in _CODES:
            return _just(self._code(_CODES[char]))
        if (char.isdigit() and char != "0") or char == "k":
            raise NoExample(f"a group is referred to in the pattern {self.pattern!r}")
        return _just(_CONTROLS.get(char, char))

    def _property(self, *, negated: bool) -> Chars:
        """The class of ``\\p{L}`` or ``\\p{Lu}``; other properties are not supported."""
        name, closed, rest = self.rest[1:].partition("}")
        if not (self.rest.startswith("{") and closed and 0 < len(name) <= 2):
            raise NoExample(f"a property in the pattern {self.pattern!r} is not supported")
        self.rest = rest
        return Chars(categories=(name,), negated=negated)

    def _code(self, digits: int) -> str:
        if digits == 4 and self._take("{"):
            code, _, self.rest = self.rest.partition("}")
        else:
            code, self.rest = self.rest[:digits], self.rest[digits:]
        return chr(int(code, 16))

    def _next(self) -> str:
        char, self.rest = self.rest[0], self.rest[1:]
        return char

    def _take(self, wanted: str) -> bool:
        taken = self.rest.startswith(wanted)
        self.rest = self.rest.removeprefix(wanted)
        return taken


def _just(char: str) -> Chars:
    return Chars(((char, char),))


def texts(pattern: str) -> Iterator[str]:
    """Texts that a pattern probably matches, the shortest first: lookahead is ignored."""
    node = parsed(pattern)
    for longer in (0, 1, 2, 4, 8, 16, 64):
        yield _text(node, longer)


_LIKED = "a1A0 -_.,:/@#"


def _text(node: Node, longer: int) -> str:
    """A text in which each repeated item comes ``longer`` times more than it must."""
    match node:
        case Chars():
            return _char(node)
        case Sequence(items):
            return _bounded("".join(_bounded(_text(item, longer)) for item in items))
        case Choice(options):
            return _text(options[longer % len(options)], longer)
        case Repeat(item, least, most):
            text = _text(item, longer) if most else ""
            times = min(least + longer, most)
            if len(text) * times > MAX_TEXT:
                times = max(least, MAX_TEXT // len(text))
            if len(text) * times > MAX_TEXT:
                raise NoExample(f"a pattern demands more than {MAX_TEXT:,} characters")
            return text * times
    return ""


def _bounded(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise NoExample(f"a pattern demands more than {MAX_TEXT:,} characters")
    return text


def _char(chars: Chars) -> str:
    """A character of a class: a common one, else the first of its ranges, else any."""
    first = [low for low, _ in chars.ranges]
    for char in chain(_LIKED, first, map(chr, range(0x21, 0x600))):
        if chars.has(char):
            return char
    raise NoExample("no character was found for a class of a pattern")
