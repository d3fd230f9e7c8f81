"""Checks values against a JSON Schema of an untrusted client, within a budget.

Nothing is fetched, each keyword that is evaluated is a step of the budget, and patterns are matched
by ``match.found`` instead of ``re``, whose time may double with each character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend, validator_for
from referencing import Registry

from mockserver.server.example.limits import Budget, NoExample, check_size
from mockserver.server.example.match import found

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]

_NOTHING_ELSE: Registry[Any] = Registry()
_NO_FORMATS = FormatChecker(formats=())
_MAX_MESSAGE = 300


def checker(schema: Any, budget: Budget) -> Any:
    """A validator of the schema's own draft, else of 2020-12. Raises NoExample if it is invalid."""
    if not isinstance(schema, dict | bool):
        raise NoExample("it is neither an object nor a boolean")
    check_size(schema)
    draft: Any = validator_for(schema, default=Draft202012Validator)
    try:
        draft.check_schema(schema, format_checker=_NO_FORMATS)
    except SchemaError as error:
        raise NoExample(f"it is invalid{_place(error)}: {short(error.message)}") from None
    keywords = {name: _counted(each, budget) for name, each in _keywords(draft, budget).items()}
    validator: Any = extend(draft, keywords)  # type: ignore[no-untyped-call]
    return validator(schema, registry=_NOTHING_ELSE)


def problem(checked: Any, schema: Any, value: Any) -> str:
    """What a part of the schema has against a value; empty if it accepts the value."""
    error = next(checked.evolve(schema=schema).iter_errors(value), None)
    return "" if error is None else short(error.message)


def short(message: str) -> str:
    """A message without the end of a long value in it."""
    return message if len(message) <= _MAX_MESSAGE else f"{message[: _MAX_MESSAGE - 1]}…"


def _place(error: SchemaError) -> str:
    path = "/".join(map(str, error.absolute_path))
    return f" at {path}" if path else ""


def _counted(keyword: Keyword, budget: Budget) -> Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        budget.spend()
        yield from keyword(validator, value, instance, schema) or ()

    return counted


def _keywords(draft: Any, budget: Budget) -> dict[str, Keyword]:
    """The keywords of a draft, with those replaced that match patterns."""

    def pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not found(pattern, instance, budget):
            yield ValidationError(f"{instance!r} does not match {pattern!r}")

    def by_pattern(validator: Any, patterns: Any, instance: Any, _: Any) -> Iterator[Any]:
        for name, value in _members(instance):
            for each, schema in patterns.items():
                if found(each, name, budget):
                    yield from validator.descend(value, schema, path=name, schema_path=each)

    def others(validator: Any, other: Any, instance: Any, schema: Any) -> Iterator[Any]:
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in _members(instance):
            if name in known or any(found(each, name, budget) for each in patterns):
                continue
            if other is False:
                yield ValidationError(f"the property {name!r} is not allowed")
            else:
                yield from validator.descend(value, other, path=name)

    def unevaluated(_: Any, __: Any, instance: Any, ___: Any) -> Iterator[Any]:
        if isinstance(instance, dict):
            raise NoExample("unevaluatedProperties is not supported")
        yield from ()

    return {
        **draft.VALIDATORS,
        "pattern": pattern,
        "patternProperties": by_pattern,
        "additionalProperties": others,
        "unevaluatedProperties": unevaluated,
    }


def _members(instance: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(instance, Mapping):
        yield from instance.items()
