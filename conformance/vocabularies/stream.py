"""The stream parts of language model providers of the AI SDK and of Effect.

Field names are those of the AI SDK's provider parts (specification V2 to V4); Effect's own names
(``tool-params-*``, ``params``, ``reason``) are accepted as well. The parts report how the response
ended: ``finish`` has the reason and the usage, and an ``error`` part is a failure, whatever the run
reports.

A call that the provider has executed itself is not a call for the host. Neither is one whose input
is not a JSON object: a provider may pass on the input unparsed, and the host marks such a call as
invalid and does not run it. It counts as a reported failure.

A custom tool is called with text, which the input holds as a JSON string. Its ``tool-input-start``
says so (``inputEncoding: text``); a function called with a string is still an invalid call.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.citations import citation_of_source_part
from conformance.contract.reading import ReadError, Reading
from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies.vocabulary import (
    NO_OBJECT_INPUT,
    CallNotRun,
    ReadingBuilder,
    Vocabulary,
    call_not_run,
    merge_end,
    token_counts,
)
from mockserver.foundation.call_arguments import Arguments, read_arguments, read_value
from mockserver.foundation.json_fields import text
from mockserver.scenario.script import Citation

# V4 reports a stream that broke off with the reason "interrupted".
_REASONS = {"unknown": "other", "pause": "other", "interrupted": "error"}


class _Stream(Vocabulary):
    def fold_end(self, parts: Sequence[Any], end: End, cancelled: bool) -> End:  # noqa: ARG002
        finish: Mapping[str, Any] = next((p for p in reversed(parts) if _type(p) == "finish"), {})
        errors = _errors(parts)
        reason = end.finish or reason_of(finish)
        invalid = ReportedError("decode", NO_OBJECT_INPUT) if self.calls_not_run(parts) else None
        error = errors[0].error if errors else invalid
        failed = error is not None or reason == "error"
        usage = _usage(finish.get("usage"))
        return merge_end(end, error, failed=failed, finish=reason, usage=usage)

    def calls_not_run(self, parts: Sequence[Any]) -> tuple[CallNotRun, ...]:
        custom_calls = _custom_tool_calls(parts)
        return tuple(
            call_not_run(_id(part), input_of(part), n)
            for n, part in enumerate(parts)
            if _type(part) == "tool-call" and not _has_valid_input(part, custom_calls)
        )

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        builder, custom_calls = ReadingBuilder(), _custom_tool_calls(parts)
        for n, part in enumerate(parts):
            match part:
                case {"type": "text-delta"}:
                    builder.text.add(text(part.get("delta")), n)
                case {"type": "reasoning-delta"}:
                    builder.thinking.append(text(part.get("delta")))
                case {"type": "tool-call"} if not part.get("providerExecuted"):
                    id_, name = _id(part), part.get("toolName", part.get("name"))
                    is_named = isinstance(id_, str) and isinstance(name, str)
                    if is_named and _has_valid_input(part, custom_calls):
                        builder.add_call(id_, name, input_of(part).value, n)
                case {
                    "type": "file",
                    "mediaType": str(type_),
                    "data": str(data) | {"data": str(data)},
                }:
                    builder.add_data(type_, data, n)
                case {"type": "source"}:
                    if (citation := citation_of_source_part(part)).fields():
                        builder.add_citation(citation, n)
        return builder.build(self.ended(parts, end), _errors(parts))

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text-delta", "id": "0", "delta": value}

    def thinking(self, value: str) -> dict[str, Any]:
        return {"type": "reasoning-delta", "id": "0", "delta": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        arguments = json.dumps(input_, ensure_ascii=False)
        known = {"toolCallId": call_id, "toolName": name}
        return {"type": "tool-call", **known, "input": arguments}

    def citation(self, citation: Citation) -> dict[str, Any]:
        known = citation.fields()
        if citation.url:
            return {"type": "source", "sourceType": "url", "id": citation.url, **known}
        identity = {"fileId": citation.file_id, "containerId": citation.container_id}
        return {
            "type": "source",
            "sourceType": "document",
            "id": citation.file_id,
            "mediaType": "application/octet-stream",
            "title": citation.title or citation.filename,
            "filename": citation.filename,
            "providerMetadata": {"openai": {name: id_ for name, id_ in identity.items() if id_}},
        }

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return {"type": "file", "mediaType": mime_type, "data": data}


def _type(part: Any) -> str:
    return str(part.get("type")) if isinstance(part, dict) else ""


def _id(call: Mapping[str, Any]) -> Any:
    return call.get("toolCallId", call.get("id"))


def input_of(part: Mapping[str, Any]) -> Arguments:
    """The input of a call. Effect's is already parsed, and is omitted if it is empty."""
    if "params" in part or "toolCallId" not in part:
        return read_value(part.get("params", {}))
    return read_arguments(part.get("input"))


def _custom_tool_calls(parts: Sequence[Any]) -> frozenset[str]:
    """The ids of the calls of custom tools, whose input is announced as text."""
    starts = (p for p in parts if _type(p) == "tool-input-start")
    custom_calls = (p.get("id") for p in starts if p.get("inputEncoding") == "text")
    return frozenset(id_ for id_ in custom_calls if isinstance(id_, str))


def _has_valid_input(call: Mapping[str, Any], custom_calls: frozenset[str]) -> bool:
    """Whether the input has the type that its tool needs: an object, or text for a custom tool."""
    id_, input_ = _id(call), input_of(call)
    if isinstance(id_, str) and id_ in custom_calls:
        return input_.kind == "not an object" and isinstance(input_.value, str)
    return input_.usable


def _errors(parts: Sequence[Any]) -> tuple[ReadError, ...]:
    """The failures in ``error`` parts."""
    return tuple(
        ReadError(_reported_error(part.get("error")), n)
        for n, part in enumerate(parts)
        if _type(part) == "error"
    )


def _reported_error(error: Any) -> ReportedError:
    """The message and the code of an error, or of the errors nested in it."""
    if not isinstance(error, dict):
        return ReportedError("upstream", error if isinstance(error, str) else json.dumps(error))
    layers = list(_layers(error))
    message = next((value for e in layers if (value := text(e.get("message")))), "")
    code = next((value for e in layers if (value := text(e.get("code")))), "")
    return ReportedError("upstream", message or json.dumps(error, ensure_ascii=False), code)


def _layers(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """An error and the errors nested in it, outermost first."""
    yield error
    for name in ("error", "response", "data", "cause"):
        if isinstance(inner := error.get(name), dict):
            yield from _layers(inner)


def reason_of(finish: Mapping[str, Any]) -> str | None:
    """The reason of a ``finish`` part, under the name that drive/1 has for it."""
    reason = finish.get("finishReason", finish.get("reason"))
    reason = reason.get("unified") if isinstance(reason, dict) else reason
    return reason_name(reason) if isinstance(reason, str) else None


def reason_name(reason: str) -> str:
    """A reason of the AI SDK under the name that drive/1 has for it."""
    return _REASONS.get(reason, reason)


def _usage(usage: Any) -> dict[str, int] | None:
    """The input and output tokens that a usage report has; None if it has neither."""
    if not isinstance(usage, dict):
        return None
    sides = {"input": usage.get("inputTokens"), "output": usage.get("outputTokens")}
    totals = {side: t.get("total") if isinstance(t, dict) else t for side, t in sides.items()}
    return token_counts(totals)


STREAM = _Stream(
    "stream",
    {
        "text-delta": frozenset({"text"}),
        "reasoning-delta": frozenset({"thinking"}),
        "tool-call": frozenset({"calls"}),
        "source": frozenset({"citations"}),
        "file": frozenset({"data"}),
    },
    unsupported_traits={"reasoning": frozenset({"prefixed"})},
)
