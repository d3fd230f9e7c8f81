"""A request to ``POST …/responses``: checked, and read for what the answer depends on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import text, whole
from mockserver.dialects.openresponses.conversation import (
    callable_tools,
    conversation,
    mismatches,
)
from mockserver.dialects.openresponses.response import echo
from mockserver.dialects.schema_problems import problems_of
from mockserver.shipped import schema

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
    asked = Inbound(
        problems_of(_validator(), body),
        stream=body.get("stream") is True,
        model=text(body.get("model")),
        limit=whole(body.get("max_output_tokens")),
    )
    if asked.problems:
        return asked
    told = conversation(body)
    return replace(
        asked,
        problems=tuple(mismatches(body, told)),
        echo=echo(body),
        conversation=told,
        tools=callable_tools(body),
        previous=text(body.get("previous_response_id")),
    )


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
