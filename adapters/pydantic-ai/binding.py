"""Pydantic AI's OpenAIResponsesModel: part events in, parts of the vocabulary `stream` out.

Text and thinking are emitted as their parts start and grow. Calls are those of the response at the
end of the stream, since an agent runs those. A refusal becomes a finish reason and a detail of the
response, not a part; citations are in details too. Both are hidden here.
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
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    WebSearchTool,
)
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

LIBRARY = "pydantic-ai-slim"
DIALECTS = ["openresponses"]

FINISH = {"length": "length", "content_filter": "content-filter", "error": "error"}
DELTAS = {
    TextPart: ("text-delta", "content"),
    TextPartDelta: ("text-delta", "content_delta"),
    ThinkingPart: ("reasoning-delta", "content"),
    ThinkingPartDelta: ("reasoning-delta", "content_delta"),
}

# The tools run by the upstream that the library supports.
NATIVE = {
    "code_interpreter": lambda _t: CodeExecutionTool(),
    "file_search": lambda t: FileSearchTool(file_store_ids=t["options"]["vector_store_ids"]),
    "image_generation": lambda _t: ImageGenerationTool(),
    "mcp": lambda t: MCPServerTool(id=t["name"], url=t["options"]["server_url"]),
    "web_search": lambda _t: WebSearchTool(),
}


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    model = OpenAIResponsesModel(run["model"], provider=OpenAIProvider(openai_client=client))
    asked = history(run["messages"])
    native = [NATIVE[t["type"]](t) for t in run["tools"] if t.get("type") in NATIVE]
    tools = [
        ToolDefinition(name=t["name"], parameters_json_schema=t["input_schema"])
        for t in run["tools"]
        if t.get("type", "function") == "function"
    ]
    offered = ModelRequestParameters(
        function_tools=tools, native_tools=native, allow_text_output=True
    )
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
    for part in response.parts:
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
