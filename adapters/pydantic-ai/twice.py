"""Asks Pydantic AI's agent over the Responses API by ``run_stream`` and by ``run``."""

from typing import Any

from history import history
from pydantic_ai import Agent, ExternalToolset
from pydantic_ai.messages import BaseToolCallPart, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import DeferredToolRequests, ToolDefinition
from pydantic_core import to_jsonable_python


def agent(run: dict[str, Any], model: type[Model]) -> Agent[None, Any]:
    provider = OpenAIProvider(base_url=run["base_url"], api_key="none")
    tools = [
        ToolDefinition(name=each["name"], parameters_json_schema=each["input_schema"])
        for each in run["tools"]
        if each.get("type", "function") == "function"
    ]
    return Agent(
        model("mock", provider=provider),  # type: ignore[call-arg]
        toolsets=[ExternalToolset(tools)],
        output_type=[str, DeferredToolRequests],
    )


async def stream(run: dict[str, Any], model: type[Model] = OpenAIResponsesModel) -> Any:
    asked = history(run["messages"])
    async with agent(run, model).run_stream(message_history=asked) as streamed:
        await streamed.get_output()
        return result(streamed)


async def plain(run: dict[str, Any], model: type[Model] = OpenAIResponsesModel) -> Any:
    return result(await agent(run, model).run(message_history=history(run["messages"])))


def result(answered: Any) -> Any:
    """The parts, the reason and the usage of the last response, without times."""
    response = [each for each in answered.new_messages() if isinstance(each, ModelResponse)][-1]
    names = ("usage", "finish_reason", "provider_details")
    found = to_jsonable_python({name: getattr(response, name) for name in names})
    (found["provider_details"] or {}).pop("timestamp", None)
    return found | {"parts": [part(each) for each in response.parts]}


def part(one: Any) -> Any:
    """A part, with the arguments of a call as its readers get them."""
    found = to_jsonable_python(one)
    found.pop("timestamp", None)
    if isinstance(one, BaseToolCallPart):
        found["args"] = one.args_as_dict()
    return found
