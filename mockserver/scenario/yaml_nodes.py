"""The nodes of a YAML document, in which an alias is the node that it refers to, and their sizes.

A node knows its size once aliases are expanded, so that a document that would outgrow the limits is
refused before anything is expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from mockserver.foundation.faults import Place, Problem, ScenarioError

MAX_DEPTH = 40
MAX_VALUES = 200_000
MAX_CHARACTERS = 4 << 20


class Size(NamedTuple):
    """How many values and characters a node has once expanded, and how many levels below it."""

    values: int
    characters: int
    levels: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A word, a number or a text, as it is written; ``plain`` if it stands without quotes."""

    place: Place
    text: str
    plain: bool

    @property
    def size(self) -> Size:
        return Size(1, len(self.text), 0)


@dataclass(frozen=True, slots=True)
class List:
    """A sequence."""

    place: Place
    items: list[Node]
    size: Size


@dataclass(frozen=True, slots=True)
class Map:
    """A mapping, whose keys may stand twice."""

    place: Place
    pairs: list[tuple[Scalar, Node]]
    size: Size


Node = Scalar | List | Map


def list_of(place: Place, items: list[Node]) -> List:
    """A sequence with its size."""
    return List(place, items, _size(items))


def map_of(place: Place, pairs: list[tuple[Scalar, Node]]) -> Map:
    """A mapping with its size, to which its keys add characters, but no values."""
    values, characters, levels = _size([value for _, value in pairs])
    keys = sum(len(key.text) for key, _ in pairs)
    return Map(place, pairs, Size(values, characters + keys, levels))


def _size(inner: Sequence[Node]) -> Size:
    """The size of a node with these nodes in it."""
    if not inner:
        return Size(1, 0, 0)
    values, characters, levels = zip(*[node.size for node in inner], strict=True)
    return Size(1 + sum(values), sum(characters), 1 + max(levels))


def check_size(root: Node) -> None:
    """Raises ScenarioError, at the first node that is too much, if the document is too large."""
    if root.size.levels > MAX_DEPTH:
        _refuse(_too_deep(root), f"nested deeper than {MAX_DEPTH} levels")
    if root.size.values > MAX_VALUES:
        place = _beyond(root, MAX_VALUES, lambda node: node.size.values, _values, own=1)
        _refuse(place, f"more than {MAX_VALUES:,} values")
    if root.size.characters > MAX_CHARACTERS:
        place = _beyond(root, MAX_CHARACTERS, lambda node: node.size.characters, _texts, own=0)
        _refuse(place, f"more than {MAX_CHARACTERS:,} characters")


def _refuse(place: Place, message: str) -> None:
    raise ScenarioError(Problem(f"{message} once aliases are expanded", place))


def _values(node: Node) -> Sequence[Node]:
    """The values in a node."""
    if isinstance(node, Map):
        return [value for _, value in node.pairs]
    return node.items if isinstance(node, List) else ()


def _texts(node: Node) -> Sequence[Node]:
    """The keys and values in a node, in the order of the file."""
    return [*chain(*node.pairs)] if isinstance(node, Map) else _values(node)


def _too_deep(node: Node) -> Place:
    """The place of the first node below this one that is on too deep a level."""
    for above in range(MAX_DEPTH + 1):
        node = next(n for n in _values(node) if above + 1 + n.size.levels > MAX_DEPTH)
    return node.place


def _beyond(
    node: Node,
    limit: int,
    amount: Callable[[Node], int],
    inner: Callable[[Node], Sequence[Node]],
    own: int,
) -> Place:
    """The place of the first node with which the amount, in the order of the file, is too much.

    A list or a mapping counts for ``own`` by itself; the node as a whole is beyond the limit.
    """
    left = limit
    while own <= left and not isinstance(node, Scalar):
        left -= own
        for each in inner(node):
            if amount(each) > left:
                break
            left -= amount(each)
        node = each
    return node.place
