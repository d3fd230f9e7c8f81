"""Parses untrusted YAML text into plain values and the position of each value.

Scenario files use a subset of YAML: one document, no tags, and string keys. Only ``true``,
``false``, ``null``, an empty value and JSON numbers are not strings; ``NO``, ``2026-01-30`` and
``0o17`` are strings. Size and depth are bounded, and so are the number and the length of the values
after the expansion of aliases. A test may also write a scenario in its own code, as the value of a
JSON document: the same limits hold, and a position is the path of a value.

Invisible characters, and those that are line breaks in YAML 1.1 but not in JSON, must be written as
escapes in double quotes: YAML parsers reject them or change them silently. Where a text is not
YAML, a hint says what to mend: the parser names the place at which it could not go on, and the
mistake is often earlier, where the construct that it was reading begins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import yaml

from mockserver.foundation.faults import Place, Problem, ScenarioError

MAX_BYTES = 1 << 20
MAX_DEPTH = 40
MAX_VALUES = 200_000
MAX_CHARACTERS = 4 << 20

Path = tuple[str | int, ...]

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's loader of plain data, in C where libyaml is there."""

_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}
_MAX_DIGITS = 4000
_LINE_BREAK = re.compile(r"\r\n?|\n")
_UNSEEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_ESCAPE_HINT = 'write it as an escape in double quotes, such as "\\u2028"'
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


def with_tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a mapping, with a tuple for each list."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}


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
        refuse(place, f"not YAML: {error.problem or error.context}", _hint(error, text))
    except yaml.YAMLError as error:
        refuse(Place(file, 1, 1), f"not YAML: {error}")
    return _Expansion(file).tree(node)


def _text(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        refuse(Place(file, 1, 1), f"the file is longer than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place_after(data[: error.start].decode("utf-8"), file)
        refuse(place, f"the byte 0x{data[error.start]:02x} is not UTF-8")
    text = text.removeprefix("\ufeff")
    if unseen := _UNSEEN.search(text):
        place = _place_after(text[: unseen.start()], file)
        refuse(place, f"the character U+{ord(unseen[0]):04X} is here as it is", _ESCAPE_HINT)
    return text


def _place_after(text: str, file: str) -> Place:
    lines = _LINE_BREAK.split(text)
    return Place(file, len(lines), len(lines[-1]) + 1)


class _Scalar(NamedTuple):
    """A word, a number or a text, as it is written; ``plain`` if it has no quotes."""

    place: Place
    text: str
    plain: bool


class _List(NamedTuple):
    place: Place
    items: list[_Node]


class _Map(NamedTuple):
    """A mapping: the value of each key, after the place of the key."""

    place: Place
    entries: dict[str, tuple[Place, _Node]]


_Node = _Scalar | _List | _Map


class _Composer:
    """Builds nodes from the parser's events; an alias refers to its node instead of copying it."""

    def __init__(self, text: str, file: str) -> None:
        self._events = yaml.parse(text, Loader=LOADER)
        self._file = file
        self._anchors: dict[str, _Node] = {}

    def document(self, if_empty: str) -> _Node:
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

    def _node(self, event: Any, depth: int) -> _Node:
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

    def _collection(self, event: Any, place: Place, depth: int) -> _Node:
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(inner, depth + 1))
            return _List(place, items)
        if isinstance(event, yaml.MappingStartEvent):
            entries: dict[str, tuple[Place, _Node]] = {}
            while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
                key = self._node(inner, depth + 1)
                if not isinstance(key, _Scalar):
                    refuse(key.place, "a key must be a word, not a list or a mapping")
                if first := entries.get(key.text):
                    refuse(key.place, f"the key {key.text!r} is here twice", f"first at {first[0]}")
                entries[key.text] = (key.place, self._node(next(self._events), depth + 1))
            return _Map(place, entries)
        return _Scalar(place, event.value, plain=event.implicit[0])


class _Limits:
    """How many values and characters a document may have beyond those that were counted."""

    def __init__(self, condition: str = "") -> None:
        self._condition = condition
        self._values, self._characters = MAX_VALUES, MAX_CHARACTERS

    def count(self, place: Place, path: Path, value: object) -> None:
        """Count a value. Raises ScenarioError if it is too deep, or one too many."""
        if len(path) > MAX_DEPTH:
            refuse(place, f"nested deeper than {MAX_DEPTH} levels{self._condition}")
        self._values -= 1
        if self._values < 0:
            refuse(place, f"more than {MAX_VALUES:,} values{self._condition}")
        if isinstance(value, str):
            self.count_text(place, value)

    def count_text(self, place: Place, text: str) -> None:
        """Count the characters of a text or of a key. Raises ScenarioError if they are too many."""
        self._characters -= len(text)
        if self._characters < 0:
            refuse(place, f"more than {MAX_CHARACTERS:,} characters{self._condition}")


class _Expansion:
    """Converts nodes to values, expanding aliases."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._values: dict[Path, Place] = {}
        self._keys: dict[Path, Place] = {}
        self._limits = _Limits(" once aliases are expanded")

    def tree(self, root: _Node) -> Tree:
        return Tree(self._file, self._value(root, ()), self._values, self._keys)

    def _value(self, node: _Node, path: Path) -> Any:
        self._values[path] = node.place
        if isinstance(node, _Scalar):
            self._limits.count(node.place, path, node.text)
            return _plain(node.text, node.place) if node.plain else node.text
        self._limits.count(node.place, path, node)
        if isinstance(node, _List):
            return [self._value(item, (*path, n)) for n, item in enumerate(node.items)]
        result: dict[str, Any] = {}
        for name, (place, value) in node.entries.items():
            self._limits.count_text(place, name)
            self._keys[(*path, name)] = place
            result[name] = self._value(value, (*path, name))
        return result


def _plain(text: str, place: Place) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if not (parts := _JSON_NUMBER.match(text)):
        return text
    if len(text) > _MAX_DIGITS:
        refuse(place, f"a number of {len(text):,} digits", "quote it to make it a string")
    number = float(text) if parts[2] or parts[3] else int(text)
    if number in (math.inf, -math.inf):
        refuse(place, f"{text} does not fit a number", "quote it to make it a string")
    return number


_FORMS = ("says", "sends", "status", "attempts")
_OF_A_TURN = (*_FORMS, "headers", "body", "expect", "cancel", "request", "then")


def plain_tree(value: Any, name: str) -> Tree:
    """A document of the value of a JSON text, in which a place is ``name`` and a path.

    A scenario without a title is called ``name``, and one of a single turn may have the keys of
    that turn in place of ``turns``. Raises ScenarioError if the value exceeds a limit.
    """
    places: dict[Path, Place] = {}
    whole = _whole(value, name)
    _note_places(whole, name, (), places, _Limits())
    return Tree(name, whole, places, places)


def _whole(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return value
    turn = {key: value[key] for key in _OF_A_TURN if key in value}
    if "turns" not in value and any(form in turn for form in _FORMS):
        value = {key: value[key] for key in value if key not in turn} | {"turns": [turn]}
    return {"title": name, **value}


def _note_places(
    value: Any, where: str, path: Path, places: dict[Path, Place], limits: _Limits
) -> None:
    places[path] = place = Place(where)
    limits.count(place, path, value)
    if isinstance(value, dict):
        for key, inner in value.items():
            limits.count_text(place, key)
            _note_places(inner, f"{where}.{key[:80]}", (*path, key), places, limits)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            _note_places(inner, f"{where}[{n}]", (*path, n), places, limits)


def _hint(error: yaml.MarkedYAMLError, text: str) -> str:
    """What to mend; empty if the parser's message is all that there is to say."""
    problem, construct = error.problem or "", error.context or ""
    for words, advice in _PROBLEMS.items():
        if words in problem:
            return advice
    if "cannot start any token" in problem and (mark := error.problem_mark):
        character = text.splitlines()[mark.line][mark.column]
        quote = f"a text that begins with {character!r} must be quoted"
        return _TABS if character == "\t" else quote
    mark = error.context_mark
    for words, advice in _CONSTRUCTS.items():
        if words in construct and mark:
            return advice.format(line=mark.line + 1, column=mark.column + 1)
    return ""
