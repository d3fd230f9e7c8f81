"""The conversation of a run, in the messages of Pydantic AI."""

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

SAID = {"system": SystemPromptPart, "user": UserPromptPart}


def history(messages):
    """Requests and responses: what the model said is a response of its own."""
    names, told = {}, []
    for message in messages:
        if message["role"] == "assistant":
            told.append(answer(message["content"]))
            names |= {id_: name for id_, name, _ in calls_in(message["content"])}
            continue
        if not told or isinstance(told[-1], ModelResponse):
            told.append(ModelRequest(parts=[]))
        told[-1].parts.append(part(message, names))
    return told


def part(message, names):
    if message["role"] == "tool":
        id_ = message["callId"]
        return ToolReturnPart(names.get(id_, ""), message["content"], tool_call_id=id_)
    return SAID[message["role"]](message["content"])


def answer(parts):
    text = text_in(parts)
    called = [ToolCallPart(name, input_, id_) for id_, name, input_ in calls_in(parts)]
    return ModelResponse(parts=[*([TextPart(text)] if text else []), *called])
