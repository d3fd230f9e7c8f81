"""The reference adapter of ``plain``: emits its events as the parts of a VS Code provider."""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.dialects.client.fields import Event, Part, object_, objects, string
from conformance.dialects.client.transport import Adapter, Traits, Upstream
from mockserver.call_arguments import read_arguments


class _Machine:
    """Turns the events of one response into parts; the first failure counts."""

    grace_seconds = None

    def __init__(self, traits: Traits) -> None:
        self._finish = ""
        self._usage: Event = {}
        self._error: dict[str, object] = {}

    @property
    def ended(self) -> bool:
        return bool(self._finish)

    def event(self, data: Event) -> list[Part]:
        self._usage = object_(data, "usage") or self._usage
        self._finish = "error" if "fail" in data else string(data, "end")
        if failed := object_(data, "fail"):
            self.fail("upstream", string(failed, "message"), failed.get("code"))
        if called := object_(data, "call"):
            return self._call(called)
        return [{"type": "text", "value": said}] if (said := string(data, "say")) else []

    def _call(self, called: Event) -> list[Part]:
        read = read_arguments(called.get("arguments")).input
        if read is None:
            self.fail("decode", f"the arguments of {called.get('id')} are no object")
            return []
        named = {"callId": called.get("id"), "name": called.get("name")}
        return [{"type": "toolCall", **named, "input": read}]

    def fail(self, kind: str, message: str, code: object = None) -> None:
        known = {"code": code} if code else {}
        self._error = self._error or {"kind": kind, "message": message, **known}

    def close(self) -> list[Part]:
        if not self._finish:
            self.fail("truncated", "the stream ended before the response did")
        return []

    def end(self) -> dict[str, object]:
        if self._error:
            return {"type": "done", "outcome": "failed", "error": self._error}
        usage = {"usage": self._usage} if self._usage else {}
        return {"type": "done", "outcome": "completed", "finish": self._finish, **usage}


def _request(run: Event, prefix: str) -> dict[str, object]:
    body = {name: each for name, each in object_(run, "options").items() if name != "max_retries"}
    entries = [entry for each in objects(run, "messages") for entry in _entries(each)]
    tools = [
        {"name": tool["name"], "input": object_(tool, "inputSchema")}
        for tool in objects(run, "tools")
    ]
    return {**body, "conversation": entries, "tools": tools}


def _entries(message: Event) -> Iterator[dict[str, object]]:
    role, content = string(message, "role"), message.get("content")
    if role == "tool":
        yield {"result": {"id": message["callId"], "output": content}}
    elif role != "assistant":
        yield {role: content}
    for part in objects(message, "content") if role == "assistant" else ():
        if part["type"] == "toolCall":
            arguments = json.dumps(part["input"])
            yield {"call": {"id": part["callId"], "name": part["name"], "arguments": arguments}}
        else:
            yield {"assistant": part["value"]}


def adapter(traits: Traits | None = None) -> Adapter:
    """The factory that ``reference.yaml`` names."""
    upstream = Upstream("reference-plain", "plain", "/models/{model}:talk", _request)
    return Adapter(upstream, _Machine, traits)
