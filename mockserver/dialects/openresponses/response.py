"""The response object, with every field that the schema ResponseResource requires.

Fields that echo the request are marks, which are filled in when the request arrives. Source:
OpenResponses, release 2026-04-24.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape
from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.scenario.script import Send, Usage
from mockserver.wire.event import Event, Step, events_in
from mockserver.wire.slots import mark

# The echoed fields, with the values for a request that does not set them.
ECHO_DEFAULTS: dict[str, Any] = {
    "tools": [],
    "tool_choice": "auto",
    "truncation": "disabled",
    "parallel_tool_calls": True,
    "text": {"format": {"type": "text"}},
    "top_p": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "top_logprobs": 0,
    "temperature": 1,
    "store": False,
    "background": False,
    "service_tier": "default",
    "metadata": {},
    "previous_response_id": None,
    "instructions": None,
    "reasoning": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "safety_identifier": None,
    "prompt_cache_key": None,
}

_REASONING = {"context": "current_turn", "effort": None, "mode": "standard", "summary": None}
_KNOWN_REASONING = {"effort": None, "summary": None}
_FINGERPRINT = {"system_fingerprint": "fp_5b1f6c0a2d"}
_VERBOSITY = {"verbosity": "medium"}

# The values of slots that only the response objects of vendors have, for such a request.
VENDOR_ECHO_DEFAULTS: dict[str, Any] = {
    "user": None,
    "prompt_cache_retention": None,
    "full_reasoning": _REASONING,
    "known_reasoning": _KNOWN_REASONING,
    "fingerprinted_metadata": _FINGERPRINT,
    "full_text": {**ECHO_DEFAULTS["text"], **_VERBOSITY},
    "stored_by_default": True,
}


def snapshot(type_: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    """The response object that a lifecycle event carries by default."""
    ended, status = type_ in TERMINAL, type_.removeprefix("response.")
    return {
        "id": mark("id"),
        "object": "response",
        "created_at": mark("created_at"),
        "status": "in_progress" if status == "created" else status,
        "completed_at": mark("created_at") if status == "completed" else None,
        "model": mark("model"),
        "output": output if ended else [],
        "error": _NO_ANSWER if status == "failed" else None,
        "incomplete_details": _INCOMPLETE if status == "incomplete" else None,
        "usage": _usage(output) if ended and status != "failed" else None,
        **{name: mark(name) for name in ECHO_DEFAULTS},
    }


_NO_ANSWER = {"code": "server_error", "message": "The model failed to answer."}
_INCOMPLETE = {"reason": "max_output_tokens"}


def _usage(output: list[dict[str, Any]]) -> dict[str, Any]:
    answer = sum(_characters(item) for item in output)
    thought = sum(_characters(item) for item in output if item.get("type") == "reasoning")
    return usage_report(Usage.estimated(answer), Usage.estimated(thought).output)


def usage_report(used: Usage, reasoning: int = 0) -> dict[str, Any]:
    """The usage in a response."""
    return {
        "input_tokens": used.input,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": used.input + used.output,
    }


def _characters(item: Mapping[str, Any]) -> int:
    lists = [item.get("content"), item.get("summary")]
    parts = [mapping(part) for each in lists for part in listed(each)]
    texts = [text(part.get("text")) + text(part.get("refusal")) for part in parts]
    inputs = (text(item.get(name)) for name in ("arguments", "input", "code"))
    return sum(map(len, (*texts, *inputs)))


def echo(request: Mapping[str, Any]) -> dict[str, Any]:
    """The echoed fields for a request, with the optional fields of tools and formats filled in."""
    fields: dict[str, Any] = {
        name: default if request.get(name) is None else request[name]
        for name, default in ECHO_DEFAULTS.items()
    }
    fields["tools"] = [_full_tool(tool) for tool in fields["tools"]]
    if fields["service_tier"] == "auto":
        fields["service_tier"] = "default"
    if isinstance(fields["reasoning"], dict):
        fields["reasoning"] = {**_KNOWN_REASONING, **fields["reasoning"]}
    if mapping(fields["tool_choice"]).get("type") == "allowed_tools":
        fields["tool_choice"] = {"mode": "auto", **fields["tool_choice"]}
    fields["text"] = _full_text(fields["text"])
    return {
        **fields,
        "user": request.get("user"),
        "prompt_cache_retention": request.get("prompt_cache_retention"),
        "full_reasoning": {**_REASONING, **mapping(fields["reasoning"])},
        "known_reasoning": {**_KNOWN_REASONING, **mapping(fields["reasoning"])},
        "fingerprinted_metadata": {**fields["metadata"], **_FINGERPRINT},
        "full_text": {**_VERBOSITY, **fields["text"]},
        "stored_by_default": request.get("store") is not False,
    }


def _full_text(requested: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in requested.items() if value is not None}
    format_ = fields.get("format", {"type": "text"})
    if format_.get("type") == "json_schema":
        format_ = {"description": None, "schema": None, **format_}
        format_["strict"] = bool(format_.get("strict"))
    return {**fields, "format": format_}


def _full_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    if tool.get("type") != "function":
        return dict(tool)
    return {"description": None, "parameters": None, "strict": None, **tool}


# Errors in streams

_ERROR = {"message": MESSAGE, "code": CODE}
_NESTED = Send("error", {"error": _ERROR})
_FAILED = Send("response.failed", {"response": {"error": _ERROR}})

ERRORS: Mapping[str, ErrorShape] = {
    "failed": ErrorShape("response.failed alone", (_FAILED,)),
    "error": ErrorShape("an error event alone", (_NESTED,)),
    "error-failed": ErrorShape("an error event, then response.failed", (_NESTED, _FAILED)),
    "flat": ErrorShape(
        "an error event with its message at the top level, as in OpenAI's types",
        (Send("error", {**_ERROR, "param": None}, absent=(("error",),)), _FAILED),
    ),
    "string": ErrorShape(
        "an error event whose error is a string", (Send("error", {"error": MESSAGE}),), code=False
    ),
    "incomplete": ErrorShape(
        "response.incomplete",
        (
            Send(
                "response.incomplete",
                {"response": {"incomplete_details": {"reason": "max_output_tokens"}}},
            ),
        ),
        outcome="incomplete",
    ),
}


def number(steps: Sequence[Step], added: Sequence[Step]) -> Sequence[Step]:
    """The added steps, with sequence numbers that go on from those of ``steps``."""
    numbers = (event.data.get("sequence_number", -1) for event in events_in(steps))
    begin = max(numbers, default=-1) + 1
    return [
        replace(step, data={**step.data, "sequence_number": begin + n})
        if isinstance(step, Event)
        else step
        for n, step in enumerate(added)
    ]
