"""The environment variables by which SDKs are pointed at the mock.

Each is read by the SDK itself where a program gives no base URL or key; an SDK that has none
(``@ai-sdk/gateway``, ``@ai-sdk/openai-compatible``) needs the base URL in the program.
"""

import os
from urllib.parse import urlsplit

from mockserver.foundation.proxies import exempting

KEY = "sk-mock"
"""The key that SDKs get; the mock takes any."""

_BASE_URLS = {
    "OPENAI_BASE_URL": "openai-python, openai-node, @ai-sdk/openai, openai-agents, pydantic-ai",
    "OPENAI_API_BASE": "langchain-openai, LiteLLM",
}
_KEYS = {
    "OPENAI_API_KEY": "all of the above",
    "AI_GATEWAY_API_KEY": "@ai-sdk/gateway, whose base URL has no variable",
}


def variables(base_url: str) -> dict[str, str]:
    """The variables that point SDKs at a base URL, past a proxy that the environment names."""
    urls = dict.fromkeys(_BASE_URLS, base_url)
    return {**urls, **dict.fromkeys(_KEYS, KEY), **past_proxies(base_url)}


def past_proxies(url: str) -> dict[str, str]:
    """The variables by which SDKs reach the host of a URL without a proxy."""
    return exempting(os.environ, urlsplit(url).hostname or "")
