"""Asks Pydantic AI's agent over the Responses API by ``run_stream_events`` and by ``run``."""

from typing import Any

from history import history
from pydantic_ai import Agent, ExternalToolset
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import DeferredToolRequests, ToolDefinition
from pydantic_core import to_jsonable_python


def agent(run: dict[str, Any]) -> Agent[None, Any]:
    provider = OpenAIProvider(base_url=run["base_url"], api_key="none")
    tools = [
        ToolDefinition(name=each["name"], parameters_json_schema=each["input_schema"])
        for each in run["tools"]
        if each.get("type", "function") == "function"
    ]
    return Agent(
        OpenAIResponsesModel("mock", provider=provider),
        toolsets=[ExternalToolset(tools)],
        output_type=[str, DeferredToolRequests],
    )


async def stream(run: dict[str, Any]) -> Any:
    async with agent(run).run_stream(message_history=history(run["messages"])) as streamed:
        await streamed.get_output()
        return result(streamed)


async def plain(run: dict[str, Any]) -> Any:
    return result(await agent(run).run(message_history=history(run["messages"])))


def result(answered: Any) -> Any:
    """The parts, the reason and the usage of the last response."""
    response = [each for each in answered.new_messages() if isinstance(each, ModelResponse)][-1]
    names = ("parts", "usage", "finish_reason", "provider_details")
    return to_jsonable_python({name: getattr(response, name) for name in names})
