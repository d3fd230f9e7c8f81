"""Parses untrusted YAML text into plain values and the position of each value.

Scenario files use a subset of YAML: one document, no tags, and string keys. Only ``true``,
``false``, ``null``, an empty value and JSON numbers are not strings; ``NO``, ``2026-01-30`` and
``0o17`` are strings. Size and depth are bounded, and so are the number and the length of the values
after the expansion of aliases. A test may also write a scenario in its own code, as the value of a
JSON document: the same limits hold, and a position is the path of a value.

Invisible characters, and those that are line breaks in YAML 1.1 but not in JSON, must be written as
escapes in double quotes: YAML parsers reject them or change them silently.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import yaml

from mockserver.foundation.faults import Place, Problem, ScenarioError
from mockserver.scenario.yaml_nodes import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_VALUES,
    Composer,
    List,
    Map,
    Node,
    Scalar,
    check_size,
    hint,
    refuse,
)

MAX_BYTES = 1 << 20

Path = tuple[str | int, ...]

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
        node = Composer(text, file).document(if_empty)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        refuse(place, f"not YAML: {error.problem or error.context}", hint(error, text))
    except yaml.YAMLError as error:
        refuse(Place(file, 1, 1), f"not YAML: {error}")
    check_size(node)
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
                refuse(key.place, f"the key {name!r} is here twice", f"first at {first[name]}")
            first[name] = key.place
            self._keys[(*path, name)] = key.place
            result[name] = self._value(value, (*path, name))
        return result


_FORMS = ("says", "sends", "status", "attempts")
_OF_A_TURN = (*_FORMS, "headers", "body", "expect", "cancel", "request", "then")


def plain_tree(value: Any, name: str) -> Tree:
    """A document of the value of a JSON text, in which a place is ``name`` and a path.

    A scenario without a title is called ``name``, and one of a single turn may have the keys of
    that turn in place of ``turns``. Raises ScenarioError if the value exceeds a limit.
    """
    places: dict[Path, Place] = {}
    whole = _whole(value, name)
    _place(whole, name, (), places, [MAX_VALUES, MAX_CHARACTERS])
    return Tree(name, whole, places, places)


def _whole(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return value
    turn = {key: value[key] for key in _OF_A_TURN if key in value}
    if "turns" not in value and any(form in turn for form in _FORMS):
        value = {key: value[key] for key in value if key not in turn} | {"turns": [turn]}
    return {"title": name, **value}


def _place(value: Any, place: str, path: Path, places: dict[Path, Place], left: list[int]) -> None:
    """Note the place of a value and of those inside it; ``left`` is how many may follow."""
    left[0] -= 1
    left[1] -= len(value) if isinstance(value, str) else 0
    if len(path) > MAX_DEPTH or min(left) < 0:
        limits = f"{MAX_DEPTH} levels, {MAX_VALUES:,} values, {MAX_CHARACTERS:,} characters"
        raise ScenarioError(
            Problem("the scenario is too large", Place(place), f"the limits are {limits}")
        )
    places[path] = Place(place)
    if isinstance(value, dict):
        for key, inner in value.items():
            left[1] -= len(key)
            _place(inner, f"{place}.{key[:80]}", (*path, key), places, left)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            _place(inner, f"{place}[{n}]", (*path, n), places, left)
