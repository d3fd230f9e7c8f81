"""Validates JSON values against the schemas in ``schemas/``.

Most values are valid, and jsonschema takes 20 to 40 times as long as jsonschema-rs to confirm
that, so jsonschema-rs is asked first where it is installed. jsonschema finds the errors of all
other values, and a value without errors is valid: so a verdict does not depend on the installed
library, although jsonschema-rs refuses NaN, lone surrogates and keys that are not strings. It must
not accept more: a test holds the patterns of the schemas to what both understand alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import relevance

from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

try:
    jsonschema_rs: Any = import_module("jsonschema_rs")
except ImportError:  # there are wheels for CPython only
    jsonschema_rs = None

# By the id of the validator, which is kept with the function so that no other gets its id.
_fast: dict[int, tuple[Draft202012Validator, Callable[[Any], bool]]] = {}


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
    return iter(()) if _accepts_fast(validator, value) else validator.iter_errors(value)


def accepts(validator: Draft202012Validator, value: Any) -> bool:
    """Whether a value is valid."""
    return _accepts_fast(validator, value) or validator.is_valid(value)


def _accepts_fast(validator: Draft202012Validator, value: Any) -> bool:
    """Whether jsonschema-rs is installed and accepts a value."""
    if jsonschema_rs is None:
        return False
    if id(validator) not in _fast:
        check = jsonschema_rs.Draft202012Validator(validator.schema).is_valid
        _fast[id(validator)] = (validator, check)
    try:
        return _fast[id(validator)][1](value)
    except (ValueError, TypeError):  # a lone surrogate, or a key that is not a string
        return False
