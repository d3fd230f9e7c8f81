"""A request to ``POST …/full-stream``: the options of ``streamText``, checked and read.

The route is streamproof's own: what runs inside a process is asked for over HTTP.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import listed, mapping, text, whole
from mockserver.dialects.schema_problems import problems_of
from mockserver.dialects.vercel.requests.messages import conversation, mismatches, offered
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/vercel-fullstream"))


def inbound(body: Any, headers: Mapping[str, str]) -> Inbound:  # noqa: ARG001
    """What a request asks for; its problems name the offending field first."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=True, model="")
    told = conversation([*_system(body), *_messages(body)])
    where = "messages" if "messages" in body else "prompt"
    return Inbound(
        problems_of(_validator(), body) or tuple(mismatches(where, told)),
        stream=True,
        model=text(body.get("model")),
        conversation=told,
        tools=_tools(body),
        limit=whole(body.get("maxOutputTokens")),
    )


def _system(body: Mapping[str, Any]) -> list[Any]:
    """The system's messages; ai 7 calls them instructions."""
    told = body.get("instructions", body.get("system"))
    if isinstance(told, str):
        return [{"role": "system", "content": told}]
    return [told] if isinstance(told, dict) else listed(told)


def _messages(body: Mapping[str, Any]) -> list[Any]:
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return listed(body.get("messages", prompt))


def _tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, with their input's schema."""
    choice = body.get("toolChoice")
    tools = mapping(body.get("tools")).items()
    functions = [(name, mapping(tool).get("inputSchema")) for name, tool in tools]
    own = [(name, schema_) for name, schema_ in functions if isinstance(schema_, dict)]
    return offered(own, text(choice), text(mapping(choice).get("toolName")))
