"""A small adapter of chat completions: it sends one request and reads the text of the answer."""

import json
from http.client import HTTPResponse
from typing import Any
from urllib.request import Request, urlopen

REFUSAL = {"refusal": "text"}


def post(url: str, body: Any) -> bytes:
    """The body of the answer to a POST request."""
    with streamed(url, body) as answer:
        return answer.read()


def streamed(url: str, body: Any) -> HTTPResponse:
    """The answer to a POST request, as it comes."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-secret"}
    answer: HTTPResponse = urlopen(Request(url, json.dumps(body).encode(), headers))
    return answer


def body_of(message: str = "Hello", tool: str = "", model: str = "mock") -> dict[str, Any]:
    """A chat completion's request."""
    tools = [{"type": "function", "function": {"name": tool, "parameters": {"type": "object"}}}]
    messages = [{"role": "user", "content": message}]
    asked = {"model": model, "stream": True, "messages": messages}
    return {**asked, "tools": tools} if tool else asked


def parts(base_url: str, **asked: str) -> list[dict[str, Any]]:
    """The text parts of the answer."""
    return parts_of(post(f"{base_url}/chat/completions", body_of(**asked)))


def parts_of(stream: bytes) -> list[dict[str, Any]]:
    """The text parts of an event stream of chat completions."""
    found = []
    for line in stream.splitlines():
        if line.startswith(b"data: {"):
            for choice in json.loads(line[6:])["choices"]:
                delta = choice["delta"]
                if text := delta.get("content") or delta.get("refusal"):
                    found.append({"type": "text", "value": text})
    return found
