"""A request to ``POST …/responses``: checked, and read for what the answer depends on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance

from mockserver.dialects.dialect import Inbound
from mockserver.dialects.openresponses.conversation import callable_tools, heard
from mockserver.dialects.openresponses.response import echo
from mockserver.shipped import schema

_MOST_PROBLEMS = 5

# The types of OpenResponses' error table (section "Errors"); the wire of api.openai.com calls the
# first one invalid_request_error, and so does the specification's own example.
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found",
    405: "invalid_request_error",
    413: "invalid_request_error",
    429: "too_many_requests",
}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/openresponses"))


def inbound(body: Any) -> Inbound:
    """What a request asks for; its problems name the offending field first."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=False, model="")
    errors = sorted(_validator().iter_errors(body), key=lambda error: list(map(str, error.path)))
    problems = tuple(_in_words(error) for error in errors[:_MOST_PROBLEMS])
    asked = Inbound(
        problems,
        stream=body.get("stream") is True,
        model=model if isinstance(model := body.get("model"), str) else "",
    )
    if problems:
        return asked
    said, answered = heard(body.get("input"))
    return replace(asked, echo=echo(body), said=said, answered=answered, tools=callable_tools(body))


def _in_words(error: ValidationError) -> str:
    while error.context:
        error = max(error.context, key=relevance)
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    message = error.message if len(error.message) <= 200 else error.message[:199] + "…"
    return f"{path.lstrip('.') or 'body'}: {message}"


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """An HTTP error's body (OpenResponses, section "Errors")."""
    return {
        "error": {
            "message": message,
            "type": _ERROR_TYPES.get(status, "server_error"),
            "param": param,
            "code": None,
        }
    }
