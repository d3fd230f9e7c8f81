"""The errors of calls whose arguments are not a JSON object, as the SDK reports them.

The SDK parses the arguments and validates them by the tool's schema, so an invalid call has one of
two causes. Its input is the parsed value, or the text if it cannot be parsed.

Source: ai (parseToolCall, InvalidToolInputError), @ai-sdk/provider (JSONParseError,
TypeValidationError).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.json_text import dump

if TYPE_CHECKING:
    from mockserver.dialects.vercel.layer import Call


def input_of(call: Call) -> Any:
    """The input of an invalid call."""
    return call.read.value if call.read.kind == "not an object" else call.arguments


def error_of(call: Call) -> dict[str, Any]:
    """The error, with its cause."""
    cause = _not_an_object(call) if call.read.kind == "not an object" else _not_json(call)
    return {
        "name": "AI_InvalidToolInputError",
        "message": f"Invalid input for tool {call.name}: {cause['message']}",
        "cause": cause,
        "toolInput": call.arguments,
        "toolName": call.name,
    }


def _not_json(call: Call) -> dict[str, Any]:
    why = {"name": "SyntaxError", "message": "Unexpected token in JSON"}
    return {
        "name": "AI_JSONParseError",
        "message": f"JSON parsing failed: Text: {call.arguments}.\nError message: {why['message']}",
        "cause": why,
        "text": call.arguments,
    }


def _not_an_object(call: Call) -> dict[str, Any]:
    why = {"name": "Error", "message": "expected an object"}
    value = dump(call.read.value)
    return {
        "name": "AI_TypeValidationError",
        "message": f"Type validation failed: Value: {value}.\nError message: {why['message']}",
        "cause": why,
        "value": call.read.value,
    }
