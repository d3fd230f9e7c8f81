"""Bodies of HTTP errors, in the shapes that the AI SDK's clients expect.

Source: @ai-sdk/gateway, createGatewayErrorFromResponse; ai, HttpChatTransport.
"""

from __future__ import annotations

from typing import Any

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "forbidden",
    # Only models are looked up; clients before version 4 do not know not_found.
    404: "model_not_found",
    405: "invalid_request_error",
    413: "invalid_request_error",
    424: "failed_dependency",
    429: "rate_limit_exceeded",
}


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The error body of the gateway; its client maps the type to an error class."""
    type_ = _TYPES.get(status, "internal_server_error")
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}


def plain(_status: int, message: str, _param: str | None) -> str:
    """The error body of a chat server: plain text, which the chat transport throws."""
    return message
