"""Pydantic AI's OpenAIResponsesModel: part events in, parts of the vocabulary `stream` out.

Text and thinking are emitted as their parts start and grow, raw reasoning when its part ends. Calls
and citations are those of the response at the end of the stream, since an agent runs those; its
state says if the stream was cut off. A refusal becomes a finish reason and a detail of the
response, not a part, and is hidden here.
"""

from failures import failed
from history import history
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
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
from reader import SETTINGS, emit_event, ended, reason_of

LIBRARY = "pydantic-ai-slim"
DIALECTS = ["openresponses"]


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
        ToolDefinition(
            name=t["name"], description=t["description"], parameters_json_schema=t["input_schema"]
        )
        for t in run["tools"]
        if t.get("type", "function") == "function"
    ]
    offered = ModelRequestParameters(
        function_tools=tools, native_tools=native, allow_text_output=True
    )
    try:
        async with (
            client,
            model_request_stream(
                model,
                asked,
                model_settings=settings(run["options"]),
                model_request_parameters=offered,
            ) as stream,
        ):
            async for event in stream:
                emit_event(event, emit)
            return ended(stream.get(), emit)
    except AgentRunError as error:
        return failed(*reason_of(error))


def settings(options):
    """The options of a run as settings of the model; ``max_retries`` is the client's.

    Those for which the library has no setting go into the body as they are.
    """
    more = {name: value for name, value in options.items() if name != "max_retries"}
    stores = {"openai_store": more.pop("store")} if "store" in more else {}
    return {**SETTINGS, **stores, **({"extra_body": more} if more else {})}
