"""Whether a JSON value keeps a contract of ours (a schema in ``schemas/``), and why it does not.

Nearly everything that is checked is right, and jsonschema takes long to find no error. Where
jsonschema-rs is installed (the extra ``fast``) it is asked first; the words of an error always come
from jsonschema. A test holds the two to one opinion.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_MOST = 256

_rs: Any = import_module("jsonschema_rs") if find_spec("jsonschema_rs") else None


def errors_of(validator: Draft202012Validator, value: Any) -> Iterator[ValidationError]:
    """What is wrong with a value; nothing where the contract accepts it."""
    return iter(()) if _keeps(validator, value) else validator.iter_errors(value)


def accepts(validator: Draft202012Validator, value: Any) -> bool:
    """Whether the contract accepts a value."""
    return _keeps(validator, value) or (_rs is None and validator.is_valid(value))


def _keeps(validator: Draft202012Validator, value: Any) -> bool:
    """Whether the fast validator accepts a value; False where it cannot say so."""
    if _rs is None:
        return False
    try:
        return _fast(_Known(validator))(value)
    except (ValueError, TypeError):  # a value that is no JSON, such as half of a character
        return validator.is_valid(value)


class _Known:
    """A validator known by its identity, and kept, so that no other can take it over."""

    def __init__(self, validator: Draft202012Validator) -> None:
        self.validator = validator

    def __hash__(self) -> int:
        return id(self.validator)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.validator is other.validator


@lru_cache(maxsize=_MOST)
def _fast(known: _Known) -> Callable[[Any], bool]:
    check: Callable[[Any], bool] = _rs.Draft202012Validator(known.validator.schema).is_valid
    return check
