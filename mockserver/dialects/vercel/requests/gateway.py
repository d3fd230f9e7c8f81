"""Parses and checks requests to ``POST …/language-model``, the route of the AI Gateway.

The body has only the call options. The model, the specification version of the parts, and whether
to stream are in headers. Source: @ai-sdk/gateway, GatewayLanguageModel.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.dialects.requests import ANY_OBJECT, Inbound, problems_of
from mockserver.dialects.vercel.requests.messages import callable_tools, conversation, mismatches
from mockserver.dialects.vercel.specifications import FORMS
from mockserver.foundation.json_fields import integer, listed, mapping, text
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MODEL = "ai-language-model-id"
VERSION = "ai-language-model-specification-version"
STREAMING = "ai-language-model-streaming"
READS_HEADERS = (MODEL, VERSION, STREAMING)

# Its User-Agent: ai-sdk/gateway/3.0.232, and since its version 4 ai-sdk-gateway/4.0.146.
_CLIENT = re.compile(r"ai-sdk[/-]gateway/(\d+)\.")
_STREAMS = {"true": True, "false": False}


def inbound(body: Any, headers: Mapping[str, str]) -> Inbound:
    """Parse a request; each problem begins with the path of the field or the name of the header."""
    form = headers.get(VERSION, FORMS[0])
    parsed = Inbound(
        tuple(_header_problems(headers)),
        stream=_STREAMS.get(headers.get(STREAMING, ""), False),
        model=headers.get(MODEL, ""),
        form=form if form in FORMS else FORMS[0],
    )
    fields = mapping(body)
    entries = conversation(listed(fields.get("prompt")))
    malformed = problems_of(validator("requests/vercel-gateway"), body)
    malformed = malformed or tuple(mismatches("prompt", entries))
    return replace(
        parsed,
        problems=(*parsed.problems, *malformed),
        conversation=entries,
        tools=_tools(fields),
        limit=integer(fields.get("maxOutputTokens")),
        call_required=mapping(fields.get("toolChoice")).get("type") == "required",
        answer_schema=_answer_schema(mapping(fields.get("responseFormat"))),
    )


def _answer_schema(format_: Mapping[str, Any]) -> Any:
    """The schema of the answer that a ``responseFormat`` asks for; None for text."""
    return format_.get("schema", ANY_OBJECT) if format_.get("type") == "json" else None


def specification(headers: Mapping[str, str]) -> str:
    """The specification version of a client, from its headers, for look-ups.

    Without the header, it is the major version of the client's package.
    """
    version = headers.get(VERSION) or "".join(_CLIENT.findall(headers.get("user-agent", ""))[:1])
    return version if version in FORMS else FORMS[0]


def _header_problems(headers: Mapping[str, str]) -> Iterator[str]:
    if not headers.get(MODEL):
        yield f"{MODEL}: this header is missing, and it alone names the model"
    if (version := headers.get(VERSION, FORMS[0])) not in FORMS:
        yield f"{VERSION}: {version[:20]!r} is none of {', '.join(sorted(FORMS))}"
    if (streaming := headers.get(STREAMING, "false")) not in _STREAMS:
        yield f"{STREAMING}: {streaming[:20]!r} is neither true nor false"


def _tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, each with the schema of its input."""
    choice = mapping(body.get("toolChoice"))
    tools = [mapping(each) for each in listed(body.get("tools"))]
    functions = [
        (text(each.get("name")), mapping(each.get("inputSchema")))
        for each in tools
        if each.get("type") == "function"
    ]
    return callable_tools(functions, text(choice.get("type")), text(choice.get("toolName")))
