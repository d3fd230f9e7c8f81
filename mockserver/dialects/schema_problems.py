"""Messages for the schema errors of a request's body; each begins with the path of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import ValidationError

from mockserver.contract import deepest, errors_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_MAX_PROBLEMS = 5
_MAX_LENGTH = 200


def problems_of(validator: Draft202012Validator, body: Any) -> tuple[str, ...]:
    """Messages for the first few schema errors of a body; what two schemas find is said once."""
    if not isinstance(body, dict):
        return ("the request body is not a JSON object",)
    errors = sorted(errors_of(validator, body), key=lambda error: list(map(str, error.path)))
    return tuple(dict.fromkeys(_message(error) for error in errors[:_MAX_PROBLEMS]))


def _message(error: ValidationError) -> str:
    error = deepest(error)
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    long = len(error.message) > _MAX_LENGTH
    message = error.message[: _MAX_LENGTH - 1] + "…" if long else error.message
    return f"{path.lstrip('.') or 'body'}: {message}"
