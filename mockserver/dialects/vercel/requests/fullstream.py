"""Parses and checks requests to ``POST …/full-stream``, which have the options of ``streamText``.

The route is streamproof's own: ``streamText`` itself runs inside a process, without HTTP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.requests import Inbound, problems_of
from mockserver.dialects.vercel.requests.messages import callable_tools, conversation, mismatches
from mockserver.foundation.json_fields import integer, listed, mapping, text
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Mapping


def inbound(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    entries = conversation([*_system(fields), *_messages(fields)])
    where = "messages" if "messages" in fields else "prompt"
    malformed = problems_of(validator("requests/vercel-fullstream"), body)
    return Inbound(
        malformed or tuple(mismatches(where, entries)),
        stream=True,
        model=text(fields.get("model")),
        conversation=entries,
        tools=_tools(fields),
        call_required=fields.get("toolChoice") == "required",
        limit=integer(fields.get("maxOutputTokens")),
    )


def _system(body: Mapping[str, Any]) -> list[Any]:
    """The system messages; in ai 7, the field is ``instructions``."""
    system = body.get("instructions", body.get("system"))
    if isinstance(system, str):
        return [{"role": "system", "content": system}]
    return [system] if isinstance(system, dict) else listed(system)


def _messages(body: Mapping[str, Any]) -> list[Any]:
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return listed(body.get("messages", prompt))


def _tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, each with the schema of its input."""
    choice = body.get("toolChoice")
    tools = mapping(body.get("tools")).items()
    functions = [(name, mapping(tool).get("inputSchema")) for name, tool in tools]
    own = [(name, schema_) for name, schema_ in functions if isinstance(schema_, dict)]
    return callable_tools(own, text(choice), text(mapping(choice).get("toolName")))
