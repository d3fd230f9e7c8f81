"""What the AI Gateway's clients look up: the gateway's configuration, and the credit.

Source: AI Gateway, "GET /v1/credits"; @ai-sdk/gateway, GatewayFetchMetadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel.requests.gateway import specification

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockserver.dialects.dialect import LookUp

_OWNER = "streamproof"
_ABOUT = "A model that says what a scenario has it say"
_FREE = {"input": "0", "output": "0"}


def _config(models: Sequence[str], headers: Mapping[str, str]) -> dict[str, Any]:
    """The models, each with the specification that the client reads.

    A client refuses the whole list where one model has another specification than its own.
    """
    version = f"v{specification(headers)}"
    return {"models": [_configured(id_, version) for id_ in models]}


def _configured(id_: str, version: str) -> dict[str, Any]:
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


LOOKUPS: Mapping[str, LookUp] = {"config": _config, "credits": _credits}
