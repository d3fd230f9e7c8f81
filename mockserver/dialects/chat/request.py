"""Parses and checks requests to ``POST …/chat/completions``."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.dialects.chat.conversation import callable_tools, conversation, mismatches
from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import integer, mapping, text
from mockserver.dialects.schema_problems import problems_of
from mockserver.shipped import schema

# The error types of OpenAI, by HTTP status.
_ERROR_TYPES = {
    401: "invalid_request_error",
    403: "permission_error",
    429: "requests",
}
_SERVER = 500

WITH_USAGE = "usage"
"""The form of a stream for a request with ``stream_options.include_usage``."""


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/chat"))


def inbound(body: Any) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=False, model="")
    options = mapping(body.get("stream_options"))
    parsed = Inbound(
        problems_of(_validator(), body),
        stream=body.get("stream") is True,
        model=text(body.get("model")),
        form=WITH_USAGE if options.get("include_usage") is True else "",
        limit=integer(body.get("max_completion_tokens")) or integer(body.get("max_tokens")),
    )
    if parsed.problems:
        return parsed
    entries = conversation(body["messages"])
    return replace(
        parsed,
        problems=tuple(mismatches(body["messages"], entries)),
        conversation=entries,
        tools=callable_tools(body),
    )


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error. Source: OpenAI, "Error codes"."""
    other = "server_error" if status >= _SERVER else "invalid_request_error"
    type_ = _ERROR_TYPES.get(status, other)
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}
