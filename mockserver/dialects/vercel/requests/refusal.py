"""An HTTP error in the shape that each client of these streams reads.

Source: @ai-sdk/gateway, createGatewayErrorFromResponse; ai, HttpChatTransport.
"""

from __future__ import annotations

from typing import Any

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "forbidden",
    # What is asked for is always a model; clients before version 4 do not know not_found.
    404: "model_not_found",
    405: "invalid_request_error",
    413: "invalid_request_error",
    424: "failed_dependency",
    429: "rate_limit_exceeded",
}


def refusal(status: int, message: str, param: str | None) -> dict[str, Any]:
    """What the gateway answers; its client makes a class of error of the type."""
    type_ = _TYPES.get(status, "internal_server_error")
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}


def plain(status: int, message: str, param: str | None) -> str:  # noqa: ARG001
    """What a chat's server answers: a chat transport throws the text as it is."""
    return message
