"""Pydantic AI's OpenAIChatModel: part events in, parts of the vocabulary `stream` out.

Text and thinking are emitted as their parts start and grow. Calls are those of the response at the
end of the stream, since an agent runs those. Settings of the library say that this upstream may
send its reasoning in `reasoning_text`, as Copilot's proxy does, and never ends without a finish. A
refusal becomes a detail of the response, and is hidden here.
"""

from failures import failed
from history import history
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from reader import SETTINGS, emit_event, ended, reason_of

LIBRARY = "pydantic-ai-slim"
DIALECTS = ["chat"]

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
        ToolDefinition(
            name=t["name"], description=t["description"], parameters_json_schema=t["input_schema"]
        )
        for t in run["tools"]
        if t.get("type", "function") == "function"
    ]
    offered = ModelRequestParameters(function_tools=tools, allow_text_output=True)
    asked = history(run["messages"])
    try:
        async with (
            client,
            model_request_stream(
                model, asked, model_settings=SETTINGS, model_request_parameters=offered
            ) as stream,
        ):
            async for event in stream:
                emit_event(event, emit)
            return ended(stream.get(), emit)
    except AgentRunError as error:
        return failed(*reason_of(error))
