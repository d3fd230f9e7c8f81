"""Matches a text against a parsed pattern, by backtracking within a budget of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mockserver.server.example.limits import NoExample
from mockserver.server.example.pattern import (
    WORD,
    Chars,
    Choice,
    Edge,
    Look,
    Node,
    Repeat,
    Sequence,
    parsed,
)

if TYPE_CHECKING:
    from mockserver.server.example.limits import Budget

_Then = Callable[[int], bool]
"""Whether what comes after an item matches from a place on."""


def found(pattern: str, text: str, budget: Budget) -> bool:
    """Whether a pattern matches somewhere in a text. Raises NoExample beyond the budget."""
    match = _Match(text, budget)
    node = parsed(pattern)
    try:
        return any(match.at(node, start, lambda _: True) for start in range(len(text) + 1))
    except RecursionError:
        raise NoExample(
            f"a text of {len(text)} characters is too long to be matched with {pattern!r}"
        ) from None


class _Match:
    def __init__(self, text: str, budget: Budget) -> None:
        self._text = text
        self._budget = budget

    def at(self, node: Node, place: int, then: _Then) -> bool:
        """Whether a node matches from a place on, and ``then`` what comes after it."""
        self._budget.spend()
        match node:
            case Chars():
                inside = place < len(self._text) and node.has(self._text[place])
                return inside and then(place + 1)
            case Sequence(items):
                return self._sequence(items, place, then)
            case Choice(options):
                return any(self.at(option, place, then) for option in options)
            case Repeat(Chars() as chars, least, most):
                return self._run(chars, least, most, place, then)
            case Repeat():
                return self._repeat(node, 0, place, then)
            case Edge(kind):
                return self._edge(kind, place) and then(place)
            case Look(item, negated):
                return self.at(item, place, lambda _: True) != negated and then(place)

    def _sequence(self, items: tuple[Node, ...], place: int, then: _Then) -> bool:
        if not items:
            return then(place)
        return self.at(items[0], place, lambda after: self._sequence(items[1:], after, then))

    def _run(self, chars: Chars, least: int, most: int, place: int, then: _Then) -> bool:
        """Match one character several times, without recursion."""
        end = place
        while end < len(self._text) and end - place < most and chars.has(self._text[end]):
            self._budget.spend()
            end += 1
        return any(then(after) for after in range(end, place + least - 1, -1))

    def _repeat(self, node: Repeat, times: int, place: int, then: _Then) -> bool:
        def again(after: int) -> bool:
            # An item that matched nothing would match nothing again.
            enough = after == place and times >= node.least
            return not enough and self._repeat(node, times + 1, after, then)

        if times < node.most and self.at(node.item, place, again):
            return True
        return times >= node.least and then(place)

    def _edge(self, kind: str, place: int) -> bool:
        if kind == "^":
            return place == 0
        if kind == "$":
            return place == len(self._text)
        inside = [
            0 <= at < len(self._text) and WORD.has(self._text[at]) for at in (place - 1, place)
        ]
        return (inside[0] != inside[1]) == (kind == "b")
