"""A run of drive/1 as call options: what `@ai-sdk/gateway` asks the AI Gateway for.

The messages are those of `streamText`, but for a user's, which here has parts and never a text
alone (@ai-sdk/provider, LanguageModelV3Prompt). Which model is asked, and in which specification
the answer is read, stands in headers only.
"""

from __future__ import annotations

from conformance.dialects.client.fields import Event, string
from conformance.dialects.vercel.reference.fullstream_request import (
    Json,
    functions,
    messages,
    options,
)

SPECIFICATION = "3"


def request(run: Event, prefix: str = "") -> Json:
    """The upstream request of a run; `prefix` is what the adapter put before call ids."""
    tools = [{"type": "function", "name": name, **tool} for name, tool in functions(run)]
    prompt = [_with_parts(message) for message in messages(run, prefix)]
    return {**options(run), "prompt": prompt, **({"tools": tools} if tools else {})}


def headers(run: Event) -> dict[str, str]:
    """What a request says beside its body."""
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
