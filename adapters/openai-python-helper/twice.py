"""Asks the Responses API by the ``stream`` helper of openai (Python) and by ``create``."""

from typing import Any

from conversation import items, responses_tool
from openai import AsyncOpenAI


async def stream(run: dict[str, Any]) -> Any:
    async with client(run).responses.stream(**asked(run)) as events:
        return result(await events.get_final_response())


async def plain(run: dict[str, Any]) -> Any:
    return result(await client(run).responses.create(**asked(run)))


def client(run: dict[str, Any]) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=run["base_url"], api_key="none", max_retries=0)


def asked(run: dict[str, Any]) -> dict[str, Any]:
    tools = [responses_tool({"description": "", **tool}) for tool in run["tools"]]
    return {"model": "mock", "input": list(items(run["messages"])), "tools": tools}


def result(response: Any) -> Any:
    """The items of a response, as they came, and how it ended."""
    named = {"status", "incomplete_details", "output", "usage", "error"}
    return response.model_dump(include=named, exclude_unset=True, warnings=False)
