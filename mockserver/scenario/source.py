"""Parses untrusted YAML text into plain values and the position of each value.

Scenario files use a subset of YAML: one document, no tags, and string keys. Only ``true``,
``false``, ``null``, an empty value and JSON numbers are not strings; ``NO``, ``2026-01-30`` and
``0o17`` are strings. Size and depth are bounded, and so are the number and the length of the values
after the expansion of aliases.

Invisible characters, and those that are line breaks in YAML 1.1 but not in JSON, must be written as
escapes in double quotes: YAML parsers reject them or change them silently.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from mockserver.foundation.faults import Place, Problem, ScenarioError
from mockserver.scenario.yaml_hint import hint
from mockserver.scenario.yaml_nodes import (
    MAX_DEPTH,
    List,
    Map,
    Node,
    Scalar,
    check_size,
    list_of,
    map_of,
)

MAX_BYTES = 1 << 20

Path = tuple[str | int, ...]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}
_MAX_DIGITS = 4000
_LINE_BREAK = re.compile(r"\r\n?|\n")
_UNSEEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_ESCAPE_HINT = 'write it as an escape in double quotes, such as "\\u2028"'


@dataclass(frozen=True, slots=True)
class Tree:
    """A document as plain values, with the positions of every value and every key, by path."""

    file: str
    value: Any
    values: dict[Path, Place]
    keys: dict[Path, Place]

    def at(self, path: Path) -> Any:
        """The value at this path."""
        value = self.value
        for step in path:
            value = value[step]
        return value

    def place(self, path: Path) -> Place:
        """The position of the value at this path, or of the nearest value around it."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Place(self.file, 1, 1))

    def key_place(self, path: Path) -> Place:
        """The position of the key at the end of this path."""
        return self.keys.get(path) or self.place(path)


def read(data: bytes, file: str, if_empty: str = "") -> Tree:
    """Parse a YAML document; ``if_empty`` is the hint for a file without one.

    Raises ScenarioError, with line and column, if it is not in the subset or exceeds a limit.
    """
    text = _text(data, file)
    try:
        node = _Composer(text, file).document(if_empty)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        _refuse(place, f"not YAML: {error.problem or error.context}", hint(error, text))
    except yaml.YAMLError as error:
        _refuse(Place(file, 1, 1), f"not YAML: {error}")
    check_size(node)
    return _Expansion(file).tree(node)


def _text(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        _refuse(Place(file, 1, 1), f"the file is longer than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place_after(data[: error.start].decode("utf-8"), file)
        _refuse(place, f"the byte 0x{data[error.start]:02x} is not UTF-8")
    text = text.removeprefix("\ufeff")
    if unseen := _UNSEEN.search(text):
        place = _place_after(text[: unseen.start()], file)
        _refuse(place, f"the character U+{ord(unseen[0]):04X} stands here as it is", _ESCAPE_HINT)
    return text


def _place_after(text: str, file: str) -> Place:
    lines = _LINE_BREAK.split(text)
    return Place(file, len(lines), len(lines[-1]) + 1)


def _refuse(place: Place, message: str, hint: str = "") -> NoReturn:
    raise ScenarioError(Problem(message, place, hint))


class _Composer:
    """Builds nodes from the parser's events; an alias refers to its node instead of copying it."""

    def __init__(self, text: str, file: str) -> None:
        self._events = yaml.parse(text, Loader=_LOADER)
        self._file = file
        self._anchors: dict[str, Node] = {}

    def document(self, if_empty: str) -> Node:
        next(self._events)  # the start of the stream
        if isinstance(start := next(self._events), yaml.StreamEndEvent):
            _refuse(self._place(start), "the file is empty", if_empty)
        root = self._node(next(self._events), depth=0)
        next(self._events)  # the end of the document
        if not isinstance(more := next(self._events), yaml.StreamEndEvent):
            _refuse(self._place(more), "a second document; a file holds one scenario")
        return root

    def _place(self, event: Any) -> Place:
        return Place(self._file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _node(self, event: Any, depth: int) -> Node:
        place = self._place(event)
        if depth > MAX_DEPTH:
            _refuse(place, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                name = str(event.anchor)[:80]
                _refuse(place, f"the alias *{name} has no finished anchor before it")
            return self._anchors[event.anchor]
        if event.tag is not None:
            _refuse(place, f"the tag {event.tag!r} is not allowed; scenarios are plain data")
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
                    _refuse(key.place, "a key must be a word, not a list or a mapping")
                pairs.append((key, self._node(next(self._events), depth + 1)))
            return map_of(place, pairs)
        return Scalar(place, event.value, plain=event.implicit[0])


def _plain(text: str, place: Place) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if not (parts := _JSON_NUMBER.match(text)):
        return text
    if len(text) > _MAX_DIGITS:
        _refuse(place, f"a number of {len(text):,} digits", "quote it to make it a string")
    number = float(text) if parts[2] or parts[3] else int(text)
    if number in (math.inf, -math.inf):
        _refuse(place, f"{text} does not fit a number", "quote it to make it a string")
    return number


class _Expansion:
    """Converts nodes to values, expanding aliases."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._values: dict[Path, Place] = {}
        self._keys: dict[Path, Place] = {}

    def tree(self, root: Node) -> Tree:
        return Tree(self._file, self._value(root, ()), self._values, self._keys)

    def _value(self, node: Node, path: Path) -> Any:
        self._values[path] = node.place
        if isinstance(node, Scalar):
            return _plain(node.text, node.place) if node.plain else node.text
        if isinstance(node, List):
            return [self._value(item, (*path, n)) for n, item in enumerate(node.items)]
        return self._mapping(node, path)

    def _mapping(self, node: Map, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        first: dict[str, Place] = {}
        for key, value in node.pairs:
            name = key.text
            if name in result:
                _refuse(key.place, f"the key {name!r} stands twice", f"first at {first[name]}")
            first[name] = key.place
            self._keys[(*path, name)] = key.place
            result[name] = self._value(value, (*path, name))
        return result
