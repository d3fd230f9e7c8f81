"""Validates JSON values against the schemas in ``schemas/``.

Most values are valid, and jsonschema is slow to confirm that: with it alone, ``lint`` of the
catalogue takes 7 seconds in place of 2, and the suite a quarter longer. So jsonschema-rs validates
first, if it is installed (the extra ``fast``), else a function that the schema is compiled to.
Error messages always come from jsonschema. A test checks that they agree.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import relevance

from mockserver.compiled_schema import compiled
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from jsonschema.exceptions import ValidationError

_MAX_VALIDATORS = 256

_rs: Any = import_module("jsonschema_rs") if find_spec("jsonschema_rs") else None


@cache
def validator(name: str, home: Path | None = None, definition: str = "") -> Draft202012Validator:
    """The validator of a schema by its path below ``schemas/``, such as ``requests/chat``.

    ``home`` is the folder of schemas that are not shipped. With ``definition``, only this one of
    the schema's ``$defs`` is validated, which is faster than one of many alternatives.
    """
    whole = schema(name, home)
    if not definition:
        return Draft202012Validator(whole)
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]})


def deepest(error: ValidationError) -> ValidationError:
    """The most relevant error of the alternatives in which a value fails, or the error itself."""
    while error.context:
        error = max(error.context, key=relevance)
    return error


def errors_of(validator: Draft202012Validator, value: Any) -> Iterator[ValidationError]:
    """The errors of a value; none if it is valid."""
    return iter(()) if _is_valid_fast(validator, value) else validator.iter_errors(value)


def accepts(validator: Draft202012Validator, value: Any) -> bool:
    """Whether a value is valid."""
    return _is_valid_fast(validator, value)


def _is_valid_fast(validator: Draft202012Validator, value: Any) -> bool:
    """Whether a value is valid, without jsonschema where that is possible."""
    try:
        return _fast(_ValidatorKey(validator))(value)
    except (ValueError, TypeError):  # the value is not JSON, such as a lone surrogate, or too long
        return validator.is_valid(value)


class _ValidatorKey:
    """A validator that is compared by identity, as a cache key; it is kept alive with the key."""

    def __init__(self, validator: Draft202012Validator) -> None:
        self.validator = validator

    def __hash__(self) -> int:
        return id(self.validator)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ValidatorKey) and self.validator is other.validator


@lru_cache(maxsize=_MAX_VALIDATORS)
def _fast(key: _ValidatorKey) -> Callable[[Any], bool]:
    if _rs is None:
        return compiled(key.validator.schema) or key.validator.is_valid
    check: Callable[[Any], bool] = _rs.Draft202012Validator(key.validator.schema).is_valid
    return check
