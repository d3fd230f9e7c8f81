"""Answers to look-ups: the AI Gateway's models and credits, and the stream of a chat.

Source: AI Gateway, "GET /v1/credits"; @ai-sdk/gateway, GatewayFetchMetadata; ai, HttpChatTransport
(reconnectToStream).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel.requests.gateway import specification

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockserver.dialects.requests import LookUp

_OWNER = "streamproof"
_ABOUT = "A model that says what a scenario has it say"
_FREE = {"input": "0", "output": "0"}


def _config(models: Sequence[str], headers: Mapping[str, str]) -> dict[str, Any]:
    """The models, each with the specification version of the client.

    Clients reject the list if a model has another version than their own.
    """
    version = f"v{specification(headers)}"
    return {"models": [_model(id_, version) for id_ in models]}


def _model(id_: str, version: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": id_,
        "description": _ABOUT,
        "pricing": _FREE,
        "specification": {
            "specificationVersion": version,
            "provider": _OWNER,
            "modelId": id_,
        },
        "modelType": "language",
    }


def _credits(_models: Sequence[str], _headers: Mapping[str, str]) -> dict[str, Any]:
    return {"balance": "100.00", "total_used": "0.00"}


def _active_stream(_models: Sequence[str], _headers: Mapping[str, str]) -> None:
    """The stream that a chat may resume: there is none, since streams are not stored."""


OF_GATEWAY: Mapping[str, LookUp] = {"config": _config, "credits": _credits}
OF_CHAT: Mapping[str, LookUp] = {"chat/{id}/stream": _active_stream}
