"""Pydantic AI's OpenAIChatModel: part events in, parts of the vocabulary `stream` out.

Text and thinking are emitted as their parts start and grow. Calls are those of the response at the
end of the stream, since an agent runs those, unless it is incomplete. Settings of the library say
that this upstream sends its reasoning in `reasoning_text` and never ends without a finish. A
refusal becomes a detail of the response, and is hidden here.
"""

import json

from history import history
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

LIBRARY = "pydantic-ai-slim"
DIALECTS = ["chat"]

CUT = {"length": "length", "content_filter": "content-filter"}
FINISH = {**CUT, "stop": "stop", "tool_call": "tool-calls", "error": "error"}
DELTAS = {
    TextPart: ("text-delta", "content"),
    TextPartDelta: ("text-delta", "content_delta"),
    ThinkingPart: ("reasoning-delta", "content"),
    ThinkingPartDelta: ("reasoning-delta", "content_delta"),
}
PROFILE = {
    "openai_chat_thinking_field": "reasoning_text",
    "openai_chat_streaming_requires_finish_reason": True,
}


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    provider = OpenAIProvider(openai_client=client)
    model = OpenAIChatModel(run["model"], provider=provider, profile=PROFILE)
    tools = [
        ToolDefinition(name=t["name"], parameters_json_schema=t["input_schema"])
        for t in run["tools"]
        if t.get("type", "function") == "function"
    ]
    offered = ModelRequestParameters(function_tools=tools, allow_text_output=True)
    asked = history(run["messages"])
    try:
        async with (
            client,
            model_request_stream(model, asked, model_request_parameters=offered) as stream,
        ):
            async for event in stream:
                emit_text(event, emit)
            return ended(stream.get(), emit)
    except AgentRunError as error:
        return {"outcome": "failed", "error": {"kind": "upstream", "message": str(error)}}


def emit_text(event, emit):
    """Emit the text or thinking that an event adds."""
    started = isinstance(event, PartStartEvent)
    piece = event.part if started else event.delta if isinstance(event, PartDeltaEvent) else None
    type_, field = DELTAS.get(type(piece), ("", ""))
    if type_ and (text := getattr(piece, field)):
        emit({"type": type_, "id": str(event.index), "delta": text})


def ended(response, emit):
    for part in () if response.finish_reason in CUT else response.parts:
        if isinstance(part, ToolCallPart):
            emit(tool_call(part))
    usage = {"input": response.usage.input_tokens, "output": response.usage.output_tokens}
    finish = FINISH.get(response.finish_reason)
    done = {"outcome": "completed", **({"finish": finish} if finish else {})}
    return {**done, "usage": usage} if any(usage.values()) else done


def tool_call(part):
    args = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
    call = {"toolCallId": part.tool_call_id, "toolName": part.tool_name, "input": args}
    return {"type": "tool-call", **call}
