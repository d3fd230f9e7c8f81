"""A request to ``POST …/language-model``: checked, and read for what the answer depends on.

The body is the call options alone; the model, the specification of the parts that the client reads,
and whether it streams stand in headers (@ai-sdk/gateway, GatewayLanguageModel).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import listed, mapping, text, whole
from mockserver.dialects.schema_problems import problems_of
from mockserver.dialects.vercel.provider import FORMS
from mockserver.dialects.vercel.requests.messages import conversation, mismatches, offered
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MODEL = "ai-language-model-id"
VERSION = "ai-language-model-specification-version"
STREAMING = "ai-language-model-streaming"
READS_HEADERS = (MODEL, VERSION, STREAMING)

# As it calls itself: ai-sdk/gateway/3.0.232, and since its version 4 ai-sdk-gateway/4.0.146.
_CLIENT = re.compile(r"ai-sdk[/-]gateway/(\d+)\.")
_STREAMS = {"true": True, "false": False}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/vercel-gateway"))


def inbound(body: Any, headers: Mapping[str, str]) -> Inbound:
    """What a request asks for; its problems name the offending field or header first."""
    form = headers.get(VERSION, FORMS[0])
    asked = Inbound(
        tuple(_of_headers(headers)),
        stream=_STREAMS.get(headers.get(STREAMING, ""), False),
        model=headers.get(MODEL, ""),
        form=form if form in FORMS else FORMS[0],
    )
    if not isinstance(body, dict):
        return replace(asked, problems=("the request body is not a JSON object", *asked.problems))
    told = conversation(listed(body.get("prompt")))
    malformed = problems_of(_validator(), body) or tuple(mismatches("prompt", told))
    return replace(
        asked,
        problems=(*asked.problems, *malformed),
        conversation=told,
        tools=_tools(body),
        limit=whole(body.get("maxOutputTokens")),
    )


def specification(headers: Mapping[str, str]) -> str:
    """The specification that a client reads, where no request for a model says so.

    Each major version of the client reads the one of its own number.
    """
    told = headers.get(VERSION) or "".join(_CLIENT.findall(headers.get("user-agent", ""))[:1])
    return told if told in FORMS else FORMS[0]


def _of_headers(headers: Mapping[str, str]) -> Iterator[str]:
    if not headers.get(MODEL):
        yield f"{MODEL}: this header is missing, and it alone names the model"
    if (version := headers.get(VERSION, FORMS[0])) not in FORMS:
        yield f"{VERSION}: {version[:20]!r} is none of {', '.join(sorted(FORMS))}"
    if (streaming := headers.get(STREAMING, "false")) not in _STREAMS:
        yield f"{STREAMING}: {streaming[:20]!r} is neither true nor false"


def _tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, with their input's schema."""
    choice = mapping(body.get("toolChoice"))
    tools = [mapping(each) for each in listed(body.get("tools"))]
    functions = [
        (text(each.get("name")), mapping(each.get("inputSchema")))
        for each in tools
        if each.get("type") == "function"
    ]
    return offered(functions, text(choice.get("type")), text(choice.get("toolName")))
