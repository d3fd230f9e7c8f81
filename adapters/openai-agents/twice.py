"""Asks the Agents SDK over the Responses API by ``Runner.run_streamed`` and by ``Runner.run``."""

from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelSettings,
    OpenAIResponsesModel,
    Runner,
    StopAtTools,
    set_tracing_disabled,
)
from conversation import items
from openai import AsyncOpenAI

set_tracing_disabled(True)


def agent(run: dict[str, Any], model: type[Model]) -> Agent[Any]:
    async def invoked(_context: Any, arguments: str) -> str:
        return arguments

    client = AsyncOpenAI(base_url=run["base_url"], api_key="none", max_retries=0)
    tools = [
        FunctionTool(each["name"], "", each["input_schema"], invoked, strict_json_schema=False)
        for each in run["tools"]
        if each.get("type", "function") == "function"
    ]
    stops = StopAtTools(stop_at_tool_names=[each.name for each in tools])
    asked = model("mock", client)  # type: ignore[call-arg]
    # Elsewhere than at api.openai.com the library asks for usage only if it is told to.
    told = ModelSettings(include_usage=True)
    return Agent(
        "agent", model=asked, model_settings=told, tools=list(tools), tool_use_behavior=stops
    )


async def stream(run: dict[str, Any], model: type[Model] = OpenAIResponsesModel) -> Any:
    streamed = Runner.run_streamed(agent(run, model), list(items(run["messages"])), max_turns=1)
    async for _ in streamed.stream_events():
        pass
    return result(streamed)


async def plain(run: dict[str, Any], model: type[Model] = OpenAIResponsesModel) -> Any:
    return result(await Runner.run(agent(run, model), list(items(run["messages"])), max_turns=1))


def result(answered: Any) -> Any:
    """The items, the output and the usage of a run, without what the SDK makes anew."""
    usage = answered.context_wrapper.usage
    return {
        "items": [{"type": each.type} | made(each.raw_item) for each in answered.new_items],
        "output": str(answered.final_output),
        "usage": {"input": usage.input_tokens, "output": usage.output_tokens},
    }


def made(item: Any) -> dict[str, Any]:
    return {"raw": item if isinstance(item, dict) else item.model_dump(exclude_none=True)}
