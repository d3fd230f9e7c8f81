"""Parses and checks requests to ``POST …/responses``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.dialects.dialect import UNPADDED
from mockserver.dialects.openresponses.conversation import (
    callable_tools,
    conversation,
    hosted_tools,
    mismatches,
)
from mockserver.dialects.openresponses.response import echo
from mockserver.dialects.requests import ANY_OBJECT, Inbound, problems_of
from mockserver.foundation.json_fields import integer, mapping, text
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def inbound(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    options = mapping(fields.get("stream_options"))
    parsed = Inbound(
        problems_of(validator("requests/openresponses"), body),
        stream=fields.get("stream") is True,
        model=text(fields.get("model")),
        form=UNPADDED if options.get("include_obfuscation") is False else "",
        limit=integer(fields.get("max_output_tokens")),
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
        hosted=hosted_tools(body),
        previous=text(body.get("previous_response_id")),
        stores=body.get("store") is not False,
        call_required=body.get("tool_choice") == "required",
        answer_schema=_answer_schema(mapping(mapping(body.get("text")).get("format"))),
    )


def _answer_schema(format_: Mapping[str, Any]) -> Any:
    """The schema of the answer that a ``text.format`` asks for; None for text."""
    return {"json_object": ANY_OBJECT, "json_schema": format_.get("schema")}.get(
        text(format_.get("type"))
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
