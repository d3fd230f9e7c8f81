"""Validates a YAML file against a schema, with readable messages and positions."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from mockserver.foundation.faults import Problem, did_you_mean
from mockserver.foundation.schemas import deepest, errors_of
from mockserver.foundation.shipped import schema
from mockserver.scenario.source import Path, Tree

_JSON_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_MAX_PROBLEMS = 50

# The types of the value of an event.
_OF_EVENT = ["object", "null"]
_MERGE = "<<"


def check_shape(tree: Tree, contract: str) -> list[Problem]:
    """The schema errors of a file as problems, at most 50, in file order."""
    errors = islice(errors_of(_validator(contract), tree.value), _MAX_PROBLEMS)
    problems = dict.fromkeys(problem for error in errors for problem in _problems(error, tree))
    return sorted(
        problems, key=lambda each: (each.place.line, each.place.column) if each.place else (0, 0)
    )


@cache
def _validator(name: str) -> Any:
    return _Validator(schema(name))


def _unique(_validator: Any, unique: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    # The library compares every pair of values that are not strings, which is slow.
    if unique and isinstance(value, list) and len(set(map(json.dumps, value))) < len(value):
        yield ValidationError("the same thing is twice in this list")


_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"uniqueItems": _unique}
)


def _problems(error: Any, tree: Tree) -> Iterator[Problem]:
    error = deepest(error)
    explain = _EXPLAIN.get(str(error.validator), _anything_else)
    yield from explain(error, tree, tuple(error.absolute_path))


def shown(value: Any) -> str:
    """A value for a message: JSON, shortened to a readable length."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def kind(value: Any) -> str:
    """The type of a value, in words, such as ``a list``."""
    names = (name for python, name in _PYTHON_NAMES.items() if isinstance(value, python))
    name = next(names, None)
    return _JSON_NAMES[name] if name else type(value).__name__


# A bool is an int, too. A scenario that a test writes in its code may have values of any type.
_PYTHON_NAMES: dict[type, str] = {
    bool: "boolean", dict: "object", list: "array", str: "string", int: "integer", float: "number",
    type(None): "null",
}  # fmt: skip


def _unknown_keys(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    known = error.schema.get("properties", {})
    unknown = (key for key in error.instance if key not in known)
    for key in islice(unknown, _MAX_PROBLEMS):
        hint = did_you_mean(key, known)
        if key == _MERGE:
            hint = "mappings are not merged here: write the keys, or an alias for a whole value"
        yield Problem(f"unknown key {key[:80]!r}", tree.key_place((*path, key)), hint)


def _missing_key(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    for key in error.validator_value:
        if key not in error.instance:
            yield Problem(f"the key {key!r} is missing here", tree.place(path))


def _wrong_type(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    wanted = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = " or ".join(_JSON_NAMES[name] for name in names)
    scalar = isinstance(error.instance, int | float)
    hint = "quote it to make it a string" if names == ["string"] and scalar else ""
    form = error.schema.get("description", "")
    if form.startswith("such as") and (hint or names == ["object"]):
        hint = f"write {expected} {form}"
    if names == _OF_EVENT and "sends" in path:
        hint = _event_hint(str(path[-1]))
    yield Problem(
        f"{shown(error.instance)} is {kind(error.instance)}; {expected} is expected{_of(path)}",
        tree.place(path),
        hint,
    )


# The fields that are most of an event, of which it has one.
_MAIN_FIELDS = ("reason", "delta", "content", "text", "arguments", "refusal")


def _event_hint(name: str) -> str:
    """How to write the value of an event, whose name may be that of a field."""
    events: Mapping[str, Any] = schema("scenario")["$defs"]["events"]["properties"]
    fields = {event: node.get("properties", {}) for event, node in events.items()}
    holder = next((event for event, names in fields.items() if name in names), "")
    if name not in events and holder:
        return f"{name!r} is no event but a field: write {holder}: {{{name}: …}}"
    main = next((each for each in _MAIN_FIELDS if each in fields.get(name, ())), "FIELD")
    return f"an event has fields: write {name}: {{{main}: …}}"


def _not_in_enum(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    known = [str(value) for value in error.validator_value]
    yield Problem(
        f"{shown(error.instance)} is not one of {', '.join(known)}{_of(path)}",
        tree.place(path),
        did_you_mean(str(error.instance), known) if len(known) > 1 else "",
    )


def _uncapitalized(sentence: str) -> str:
    """A sentence as the end of another one; a name in capitals stays as it is."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _wrong_pattern(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    described = str(error.schema.get("description", ""))
    wanted = _uncapitalized(described) or f"text like {error.validator_value}"
    of_key = "propertyNames" in error.absolute_schema_path
    place = tree.key_place((*path, error.instance)) if of_key else tree.place(path)
    yield Problem(f"{shown(error.instance)} is not {wanted}{_of(path)}", place)


def _out_of_bounds(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    words = _BOUNDS[error.validator].format(error.validator_value)
    if error.instance in ("", [], {}):
        words = "is empty"
    yield Problem(f"{shown(error.instance)} {words}{_of(path)}", tree.place(path))


_BOUNDS = {
    "minLength": "has fewer characters than {}",
    "maxLength": "has more characters than {}",
    "minItems": "has fewer entries than {}",
    "maxItems": "has more entries than {}",
    "minProperties": "has fewer keys than {}",
    "maxProperties": "has more keys than {}",
    "minimum": "is less than {}",
    "maximum": "is more than {}",
}


def _forbidden(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    found = error.validator_value.get("description") or shown(error.instance)
    yield Problem(f"{found}: this is not allowed{_of(path)}", tree.place(path))


def _anything_else(error: Any, tree: Tree, path: Path) -> Iterator[Problem]:
    yield Problem(f"{error.message}{_of(path)}", tree.place(path))


def _of(path: Path) -> str:
    words = [str(step) for step in path if isinstance(step, str)]
    return f" (at {'.'.join(words)})" if words else ""


_EXPLAIN: dict[str, Callable[[Any, Tree, Path], Iterator[Problem]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_key,
    "type": _wrong_type,
    "enum": _not_in_enum,
    "not": _forbidden,
    "pattern": _wrong_pattern,
    **dict.fromkeys(_BOUNDS, _out_of_bounds),
}
