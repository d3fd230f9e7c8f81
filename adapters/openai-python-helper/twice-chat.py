"""Asks for chat completions by the ``stream`` helper of openai (Python) and by ``create``."""

from typing import Any

from conversation import chat
from openai import AsyncOpenAI


async def stream(run: dict[str, Any]) -> Any:
    done: dict[str, Any] = {"content": [], "refusal": [], "calls": []}
    async with client(run).chat.completions.stream(
        **asked(run), stream_options={"include_usage": True}
    ) as events:
        async for event in events:
            if event.type == "content.done":
                done["content"].append(event.content)
            elif event.type == "refusal.done":
                done["refusal"].append(event.refusal)
            elif event.type == "tool_calls.function.arguments.done":
                done["calls"].append([event.name, event.arguments])
        return result(await events.get_final_completion(), done)


async def plain(run: dict[str, Any]) -> Any:
    answer = await client(run).chat.completions.create(**asked(run))
    said = [choice.message for choice in answer.choices]
    functions = [call.function for each in said for call in each.tool_calls or () if call.function]
    done = {
        "content": [each.content for each in said if each.content],
        "refusal": [each.refusal for each in said if each.refusal],
        "calls": [[each.name, each.arguments] for each in functions],
    }
    return result(answer, done)


def client(run: dict[str, Any]) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=run["base_url"], api_key="none", max_retries=0)


def asked(run: dict[str, Any]) -> dict[str, Any]:
    tools = [{"description": "", **tool} for tool in run["tools"]]
    return {"model": "mock", **chat({**run, "tools": tools})}


def result(answer: Any, done: dict[str, Any]) -> Any:
    """The choices and the usage, and what the events said to be done."""
    named = {"choices", "usage"}
    return answer.model_dump(include=named, exclude_unset=True, warnings=False) | {"done": done}
