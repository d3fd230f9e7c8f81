"""A request to ``POST …/chat``: what a chat transport posts, checked and read.

An assistant's message holds all of its steps, and each tool's part both the call and its result
(ai, UIMessage and convertToModelMessages). The tools stand with the server, not in the request.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from jsonschema import Draft202012Validator

from mockserver.conversation import Answered, Called, Entry, Role, Said
from mockserver.dialects.dialect import Inbound
from mockserver.dialects.json_fields import listed, mapping, text, whole
from mockserver.dialects.schema_problems import problems_of
from mockserver.dialects.vercel.requests.messages import mismatches, thought
from mockserver.shipped import schema
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DYNAMIC, _TOOL = "dynamic-tool", "tool-"
_RESULTS = {"output-available": "output", "output-error": "errorText"}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("requests/vercel-ui"))


def inbound(body: Any, headers: Mapping[str, str]) -> Inbound:  # noqa: ARG001
    """What a request asks for; its problems name the offending field first."""
    if not isinstance(body, dict):
        return Inbound(("the request body is not a JSON object",), stream=True, model="")
    told = tuple(e for message in listed(body.get("messages")) for e in _entries(mapping(message)))
    return Inbound(
        problems_of(_validator(), body) or tuple(mismatches("messages", told)),
        stream=True,
        model=text(body.get("model")),
        conversation=told,
        tools=None,
        limit=whole(body.get("maxOutputTokens")),
    )


def _entries(message: Mapping[str, Any]) -> Iterator[Entry]:
    parts = [mapping(part) for part in listed(message.get("parts"))]
    if (role := text(message.get("role"))) == "assistant":
        for step in _steps(parts):
            yield from (entry for part in step for entry in _said(part))
            yield from (entry for part in step for entry in _answered(part))
    else:
        yield Said(cast("Role", role), "".join(text(part.get("text")) for part in parts))


def _steps(parts: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """What the model said in one go each: the results of a step come behind all of its calls."""
    step: list[dict[str, Any]] = []
    for part in parts:
        if part.get("type") == "step-start":
            yield step
            step = []
        else:
            step.append(part)
    yield step


def _said(part: Mapping[str, Any]) -> Iterator[Entry]:
    type_, said = text(part.get("type")), text(part.get("text"))
    if type_ == "text" and said:
        yield Said("assistant", said)
    elif type_ == "reasoning":
        yield thought(part, "providerMetadata")
    elif _is_call(part):
        yield Called(text(part.get("toolCallId")), _name(part), dump(part.get("input")))


def _answered(part: Mapping[str, Any]) -> Iterator[Answered]:
    if _is_call(part) and (field := _RESULTS.get(text(part.get("state")))):
        output = part.get(field)
        said = output if isinstance(output, str) else dump(output)
        yield Answered(text(part.get("toolCallId")), said, _name(part))


def _is_call(part: Mapping[str, Any]) -> bool:
    """Is it a call of the host's tools, and its input no longer on its way?"""
    type_ = text(part.get("type"))
    tool = type_ == _DYNAMIC or type_.startswith(_TOOL)
    return tool and not part.get("providerExecuted") and part.get("state") != "input-streaming"


def _name(part: Mapping[str, Any]) -> str:
    type_ = text(part.get("type"))
    return text(part.get("toolName")) if type_ == _DYNAMIC else type_.removeprefix(_TOOL)
