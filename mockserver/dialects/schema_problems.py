"""What is wrong with a request's body, in words that name the field first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import ValidationError, relevance

from mockserver.contract import errors_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_MOST = 5
_LONGEST = 200


def problems_of(validator: Draft202012Validator, body: Any) -> tuple[str, ...]:
    """The first few departures of a body from its schema."""
    errors = sorted(errors_of(validator, body), key=lambda error: list(map(str, error.path)))
    return tuple(_in_words(error) for error in errors[:_MOST])


def _in_words(error: ValidationError) -> str:
    while error.context:
        error = max(error.context, key=relevance)
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    long = len(error.message) > _LONGEST
    message = error.message[: _LONGEST - 1] + "…" if long else error.message
    return f"{path.lstrip('.') or 'body'}: {message}"
