"""Parses YAML text into nodes, in which an alias is the node that it refers to, and their sizes.

A node knows its size once aliases are expanded, so that a document that would outgrow the limits is
refused before anything is expanded. Where a text is not YAML, a hint says what to mend: the parser
names the place at which it could not go on, and the mistake is often earlier, where the construct
that it was reading begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, NoReturn

import yaml

from mockserver.foundation.faults import Place, Problem, ScenarioError

MAX_DEPTH = 40
MAX_VALUES = 200_000
MAX_CHARACTERS = 4 << 20

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TABS = "indent with spaces, not with tabs"
_PROBLEMS = {
    "a tab character that violates indentation": _TABS,
    # YAML escapes are code points; it has no surrogate pairs, unlike JSON.
    "escape code": 'write a character beyond U+FFFF as it is, or as "\\U0001F600"',
    "mapping values are not allowed": "a text that has ': ' in it must be quoted",
}
_CONSTRUCTS = {
    "quoted scalar": "the quote that is opened in line {line}, column {column} is not closed",
    "flow sequence": "the '[' in line {line}, column {column} is not closed",
    "flow mapping": "the '{{' in line {line}, column {column} is not closed",
    "block": "entries of one list or mapping begin in the same column; a quote in single quotes is "
    "doubled",
}


def refuse(place: Place, message: str, hint: str = "") -> NoReturn:
    """Raise ScenarioError with one problem at this place."""
    raise ScenarioError(Problem(message, place, hint))


class Size(NamedTuple):
    """How many values and characters a node has once expanded, and how many levels below it."""

    values: int
    characters: int
    levels: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A word, a number or a text, as it is written; ``plain`` if it has no quotes."""

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


class Composer:
    """Builds nodes from the parser's events; an alias refers to its node instead of copying it."""

    def __init__(self, text: str, file: str) -> None:
        self._events = yaml.parse(text, Loader=_LOADER)
        self._file = file
        self._anchors: dict[str, Node] = {}

    def document(self, if_empty: str) -> Node:
        next(self._events)  # the start of the stream
        if isinstance(start := next(self._events), yaml.StreamEndEvent):
            refuse(self._place(start), "the file is empty", if_empty)
        root = self._node(next(self._events), depth=0)
        next(self._events)  # the end of the document
        if not isinstance(more := next(self._events), yaml.StreamEndEvent):
            refuse(self._place(more), "a second document; a file holds one scenario")
        return root

    def _place(self, event: Any) -> Place:
        return Place(self._file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _node(self, event: Any, depth: int) -> Node:
        place = self._place(event)
        if depth > MAX_DEPTH:
            refuse(place, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                name = str(event.anchor)[:80]
                refuse(place, f"the alias *{name} has no finished anchor before it")
            return self._anchors[event.anchor]
        if event.tag is not None:
            refuse(place, f"the tag {event.tag!r} is not allowed; scenarios are plain data")
        node = self._collection(event, place, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _collection(self, event: Any, place: Place, depth: int) -> Node:
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(inner, depth + 1))
            return list_of(place, items)
        if isinstance(event, yaml.MappingStartEvent):
            pairs = []
            while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
                key = self._node(inner, depth + 1)
                if not isinstance(key, Scalar):
                    refuse(key.place, "a key must be a word, not a list or a mapping")
                pairs.append((key, self._node(next(self._events), depth + 1)))
            return map_of(place, pairs)
        return Scalar(place, event.value, plain=event.implicit[0])


def check_size(root: Node) -> None:
    """Raises ScenarioError, at the first node that is too much, if the document is too large."""
    if root.size.levels > MAX_DEPTH:
        refuse(_too_deep(root), f"nested deeper than {MAX_DEPTH} levels once aliases are expanded")
    if root.size.values > MAX_VALUES:
        place = _beyond(root, MAX_VALUES, lambda node: node.size.values, _values, own=1)
        refuse(place, f"more than {MAX_VALUES:,} values once aliases are expanded")
    if root.size.characters > MAX_CHARACTERS:
        place = _beyond(root, MAX_CHARACTERS, lambda node: node.size.characters, _texts, own=0)
        refuse(place, f"more than {MAX_CHARACTERS:,} characters once aliases are expanded")


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


def hint(error: yaml.MarkedYAMLError, text: str) -> str:
    """What to mend; empty if the parser's message is all that there is to say."""
    problem, construct = error.problem or "", error.context or ""
    for words, advice in _PROBLEMS.items():
        if words in problem:
            return advice
    if "cannot start any token" in problem and error.problem_mark:
        return _about_character(text.splitlines()[error.problem_mark.line :], error.problem_mark)
    mark = error.context_mark
    for words, advice in _CONSTRUCTS.items():
        if words in construct and mark:
            return advice.format(line=mark.line + 1, column=mark.column + 1)
    return ""


def _about_character(lines: list[str], mark: yaml.Mark) -> str:
    character = lines[0][mark.column]
    if character == "\t":
        return _TABS
    return f"a text that begins with {character!r} must be quoted"
