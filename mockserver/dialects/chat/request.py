"""A request to ``POST …/chat/completions``: checked, and read for what the answer depends on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.dialects.chat.conversation import callable_tools, conversation, mismatches
from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import mapping, text, whole
from mockserver.dialects.schema_problems import problems_of
from mockserver.shipped import schema

# The types in the bodies of OpenAI's errors.
_ERROR_TYPES = {
    401: "invalid_request_error",
    403: "permission_error",
    429: "requests",
}
_SERVER = 500

USAGE_TOLD = "usage"
"""The form of a stream for a client that has asked to be told of usage."""


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/chat"))


def inbound(body: Any) -> Inbound:
    """What a request asks for; its problems name the offending field first."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=False, model="")
    options = mapping(body.get("stream_options"))
    asked = Inbound(
        problems_of(_validator(), body),
        stream=body.get("stream") is True,
        model=text(body.get("model")),
        form=USAGE_TOLD if options.get("include_usage") is True else "",
        limit=whole(body.get("max_completion_tokens")) or whole(body.get("max_tokens")),
    )
    if asked.problems:
        return asked
    told = conversation(body["messages"])
    return replace(
        asked,
        problems=tuple(mismatches(body["messages"], told)),
        conversation=told,
        tools=callable_tools(body),
    )


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """An HTTP error's body (OpenAI, "Error codes")."""
    other = "server_error" if status >= _SERVER else "invalid_request_error"
    type_ = _ERROR_TYPES.get(status, other)
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}
