"""Parses and checks requests to ``POST …/chat/completions``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat.conversation import callable_tools, conversation, mismatches
from mockserver.dialects.dialect import UNPADDED
from mockserver.dialects.requests import ANY_OBJECT, Inbound, problems_of
from mockserver.foundation.json_fields import integer, mapping, text
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Mapping

# The error types of OpenAI, by HTTP status.
_ERROR_TYPES = {
    401: "invalid_request_error",
    403: "permission_error",
    429: "requests",
}
_SERVER = 500

WITH_USAGE = "usage"
"""The form of a stream for a request with ``stream_options.include_usage``."""

FORMS = (WITH_USAGE, "", f"{WITH_USAGE} {UNPADDED}", UNPADDED)
"""The forms of a stream, each in words."""


def inbound(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    options = mapping(fields.get("stream_options"))
    parsed = Inbound(
        problems_of(validator("requests/chat"), body),
        stream=fields.get("stream") is True,
        model=text(fields.get("model")),
        form=_form(options),
        limit=integer(fields.get("max_completion_tokens")) or integer(fields.get("max_tokens")),
    )
    if parsed.problems:
        return parsed
    entries = conversation(body["messages"])
    return replace(
        parsed,
        problems=tuple(mismatches(body["messages"], entries)),
        conversation=entries,
        tools=callable_tools(body),
        call_required=body.get("tool_choice") == "required",
        answer_schema=_answer_schema(mapping(body.get("response_format"))),
    )


def _answer_schema(format_: Mapping[str, Any]) -> Any:
    """The schema of the answer that a ``response_format`` asks for; None for text."""
    schema = mapping(format_.get("json_schema")).get("schema", ANY_OBJECT)
    return {"json_object": ANY_OBJECT, "json_schema": schema}.get(text(format_.get("type")))


def _form(options: Mapping[str, Any]) -> str:
    asked = [WITH_USAGE] if options.get("include_usage") is True else []
    declined = [UNPADDED] if options.get("include_obfuscation") is False else []
    return " ".join(asked + declined)


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error. Source: OpenAI, "Error codes"."""
    other = "server_error" if status >= _SERVER else "invalid_request_error"
    type_ = _ERROR_TYPES.get(status, other)
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}
