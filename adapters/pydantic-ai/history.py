"""Converts the conversation of a run to messages of Pydantic AI."""

from conversation import calls_in, text_in
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

PROMPT_PARTS = {"system": SystemPromptPart, "user": UserPromptPart}


def history(messages):
    """Convert messages to requests and responses; each assistant's message is a response."""
    names, converted = {}, []
    for message in messages:
        if message["role"] == "assistant":
            converted.append(answer(message["content"]))
            names |= {id_: name for id_, name, _ in calls_in(message["content"])}
            continue
        if not converted or isinstance(converted[-1], ModelResponse):
            converted.append(ModelRequest(parts=[]))
        converted[-1].parts.append(part(message, names))
    return converted


def part(message, names):
    if message["role"] == "tool":
        id_ = message["callId"]
        return ToolReturnPart(names.get(id_, ""), message["content"], tool_call_id=id_)
    return PROMPT_PARTS[message["role"]](message["content"])


def answer(parts):
    text = text_in(parts)
    called = [ToolCallPart(name, input_, id_) for id_, name, input_ in calls_in(parts)]
    return ModelResponse(parts=[*([TextPart(text)] if text else []), *called])
