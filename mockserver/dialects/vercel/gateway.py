"""Requests to the AI Gateway, ``POST …/language-model``, its look-ups and non-streaming answers.

The body of a request has only the call options. The model, the specification version of the parts,
and whether to stream are in headers.

Source: @ai-sdk/gateway (GatewayLanguageModel, GatewayFetchMetadata, § doGenerate); @ai-sdk/provider
(LanguageModelV3GenerateResult); AI Gateway, "GET /v1/credits".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.dialects.dialect import NonStreamingAnswer
from mockserver.dialects.requests import ANY_OBJECT, Inbound, LookUp, problems_of, select_tools
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.messages import mismatches, read_conversation
from mockserver.dialects.vercel.parts import GATEWAY
from mockserver.dialects.vercel.specifications import FORMS, apply_form
from mockserver.foundation.json_fields import integer, listed, mapping, text
from mockserver.wire.event import Event, Step

MODEL = "ai-language-model-id"
VERSION = "ai-language-model-specification-version"
STREAMING = "ai-language-model-streaming"
HEADERS = (MODEL, VERSION, STREAMING)

# Its User-Agent: ai-sdk/gateway/3.0.232, and since its version 4 ai-sdk-gateway/4.0.146.
_CLIENT = re.compile(r"ai-sdk[/-]gateway/(\d+)\.")
_STREAMS = {"true": True, "false": False}


def read_request(body: Any, headers: Mapping[str, str]) -> Inbound:
    """Parse a request; each problem begins with the path of the field or the name of the header."""
    form = headers.get(VERSION, FORMS[0])
    parsed = Inbound(
        tuple(_header_problems(headers)),
        stream=_STREAMS.get(headers.get(STREAMING, ""), False),
        model=headers.get(MODEL, ""),
        form=form if form in FORMS else FORMS[0],
    )
    fields = mapping(body)
    entries = read_conversation(listed(fields.get("prompt")))
    malformed = problems_of("requests/vercel-gateway", body)
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


def _specification(headers: Mapping[str, str]) -> str:
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
    return select_tools(functions, text(choice.get("type")), text(choice.get("toolName")))


# Look-ups

_OWNER = "streamproof"
_ABOUT = "A model that says what a scenario has it say"
_FREE = {"input": "0", "output": "0"}


def _config(models: Sequence[str], headers: Mapping[str, str]) -> dict[str, Any]:
    """The models, each with the specification version of the client.

    Clients reject the list if a model has another version than their own.
    """
    version = f"v{_specification(headers)}"
    return {"models": [_model(id_, version) for id_ in models]}


def _model(id_: str, version: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": id_,
        "description": _ABOUT,
        "pricing": _FREE,
        "specification": {"specificationVersion": version, "provider": _OWNER, "modelId": id_},
        "modelType": "language",
    }


def _credits(_models: Sequence[str], _headers: Mapping[str, str]) -> dict[str, Any]:
    return {"balance": "100.00", "total_used": "0.00"}


LOOKUPS: Mapping[str, LookUp] = {"config": _config, "credits": _credits}


# Answers without a stream

_FAILED = 500


def answer_at_once(steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:
    """The answer, or the error if one was sent; None if there is no finish part."""
    answer = _Answer()
    for step in apply_form(steps, form):
        if isinstance(step, Event) and not step.ignorable:
            if step.type == "error":
                return NonStreamingAnswer(_FAILED, {"error": step.data.get("error")})
            answer.add(step.type, step.data)
            if answer.ending:
                return NonStreamingAnswer(200, answer.body())
    return None


@dataclass
class _Answer:
    """An answer that is being joined from parts."""

    content: list[dict[str, Any]] = field(default_factory=list)
    blocks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    warnings: Any = field(default_factory=list)
    response: dict[str, Any] = field(default_factory=dict)
    ending: dict[str, Any] = field(default_factory=dict)

    def add(self, type_: str, part: Mapping[str, Any]) -> None:
        if add := _ADDERS.get(type_):
            add(self, part)
        elif type_ in _COPIED_TYPES:
            self.content.append(dict(part))

    def add_warnings(self, part: Mapping[str, Any]) -> None:
        self.warnings = part.get("warnings", [])

    def add_response(self, part: Mapping[str, Any]) -> None:
        self.response = {name: part[name] for name in part if name != "type"}

    def add_delta(self, part: Mapping[str, Any]) -> None:
        block = self._block(part)
        block["text"] += text(part.get(NAMES[GATEWAY].delta(block["type"])))

    def add_metadata(self, part: Mapping[str, Any]) -> None:
        if metadata := part.get("providerMetadata"):
            self._block(part)["providerMetadata"] = metadata

    def _block(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """The content of a block of text or reasoning, added at its first delta."""
        kind = text(part.get("type")).split("-", 1)[0]
        key = kind, text(part.get("id"))
        if key not in self.blocks:
            self.blocks[key] = {"type": kind, "text": ""}
            self.content.append(self.blocks[key])
        return self.blocks[key]

    def finish(self, part: Mapping[str, Any]) -> None:
        self.ending = {name: part[name] for name in part if name != "type"}

    def body(self) -> dict[str, Any]:
        warnings = {"warnings": self.warnings}
        return {"content": self.content, **self.ending, **warnings, "response": self.response}


_COPIED_TYPES = frozenset(
    {"tool-call", "tool-result", "source", "file", "reasoning-file", "custom"}
)

_ADDERS: dict[str, Callable[[_Answer, Mapping[str, Any]], None]] = {
    "stream-start": _Answer.add_warnings,
    "response-metadata": _Answer.add_response,
    "text-delta": _Answer.add_delta,
    "text-end": _Answer.add_metadata,
    "reasoning-delta": _Answer.add_delta,
    "reasoning-end": _Answer.add_metadata,
    "finish": _Answer.finish,
}
