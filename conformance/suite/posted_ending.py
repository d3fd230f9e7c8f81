"""The ending of a run as a test posts it: a message of drive/1 without an id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.transcript import end_of
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.schemas import deepest
from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from conformance.contract.transcript import End


def ending(message: Any) -> End | None:
    """The ending in an untrusted JSON value; None if the run never ended. Raises UserError."""
    if message is None:
        return None
    checked = {"id": "posted", **message} if isinstance(message, dict) else message
    error = next(Draft202012Validator(schema("driver")).iter_errors(checked), None)
    if error or checked.get("type") not in _ENDINGS:
        raise UserError(_no_ending(message, error and deepest(error)))
    return end_of(checked, 0.0)


_ENDINGS = ("done", "error", "unsupported")


def _no_ending(message: Any, error: ValidationError | None) -> Problem:
    """What is wrong with an ending: the field that is, as every caller calls it, or all of it."""
    if error is None or not isinstance(message, dict) or message.get("type") not in _ENDINGS:
        hint = f"its 'type' is one of {', '.join(_ENDINGS)}: see schemas/driver.json"
        return Problem("'end' is no ending", hint=hint)
    field = ".".join(map(str, error.path))
    known: Any = error.validator_value
    if error.validator == "enum":
        hint = did_you_mean(str(error.instance), known)
        return Problem(f"{field} is none of {', '.join(known)}: {error.instance!r:.80}", hint=hint)
    if error.validator == "additionalProperties":
        contract: Any = error.schema
        given: Any = error.instance
        name = next(each for each in given if each not in contract["properties"])
        hint = did_you_mean(name, contract["properties"])
        return Problem(f"{field or 'the ending'} has no key {name[:80]!r}", hint=hint)
    where = f"{field}: " if field else "'end' is no ending: "
    return Problem(where + error.message[:200], hint="see schemas/driver.json")
