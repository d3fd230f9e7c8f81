"""Builds the request that `@ai-sdk/gateway` sends to the AI Gateway, from a run of drive/1.

The messages are those of `streamText`, except that a user's content is a list of parts
(@ai-sdk/provider, LanguageModelV3Prompt). The model and the version of the specification are sent
in headers only.
"""

from __future__ import annotations

from conformance.dialects.client.fields import Event, string
from conformance.dialects.client.requests import options
from conformance.dialects.vercel.reference.fullstream_request import Json, messages, named_tools

SPECIFICATION = "3"


def request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    tools = [{"type": "function", "name": name, **tool} for name, tool in named_tools(run)]
    prompt = [_with_parts(message) for message in messages(run, prefix)]
    return {**options(run), "prompt": prompt, **({"tools": tools} if tools else {})}


def headers(run: Event) -> dict[str, str]:
    """The headers with the model and the versions of the protocol and the specification."""
    return {
        "ai-gateway-protocol-version": "0.0.1",
        "ai-gateway-auth-method": "api-key",
        "ai-language-model-specification-version": SPECIFICATION,
        "ai-language-model-id": string(run, "model"),
        "ai-language-model-streaming": "true",
    }


def _with_parts(message: Json) -> Json:
    if message["role"] != "user":
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}
