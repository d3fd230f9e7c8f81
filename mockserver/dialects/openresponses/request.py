"""Parses and checks requests to ``POST …/responses``."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import integer, text
from mockserver.dialects.openresponses.conversation import (
    callable_tools,
    conversation,
    mismatches,
)
from mockserver.dialects.openresponses.response import echo
from mockserver.dialects.schema_problems import problems_of
from mockserver.shipped import schema

# The error types of OpenResponses (section "Errors"), by HTTP status. The type of 400 is that of
# api.openai.com and of the specification's example, which differs from the specification's table.
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
    """Parse a request's body; each problem begins with the path of the offending field."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=False, model="")
    parsed = Inbound(
        problems_of(_validator(), body),
        stream=body.get("stream") is True,
        model=text(body.get("model")),
        limit=integer(body.get("max_output_tokens")),
    )
    if parsed.problems:
        return parsed
    entries = conversation(body)
    return replace(
        parsed,
        problems=tuple(mismatches(body, entries)),
        echo=echo(body),
        conversation=entries,
        tools=callable_tools(body),
        previous=text(body.get("previous_response_id")),
    )


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error. Source: OpenResponses, "Errors"."""
    return {
        "error": {
            "message": message,
            "type": _ERROR_TYPES.get(status, "server_error"),
            "param": param,
            "code": None,
        }
    }
