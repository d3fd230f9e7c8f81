"""Prints the events of one turn of the Agents SDK (max_turns=1): ``python3 repro.py BASE_URL``."""

import asyncio
import json
import sys
from pathlib import Path

from agents import Agent, FunctionTool, ItemHelpers, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI


async def main(body):
    client = AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
    names = [tool["function"]["name"] for tool in body.get("tools", []) if "function" in tool]
    offered = [FunctionTool(name, "", {}, lambda *_: asyncio.sleep(0, "done")) for name in names]
    agent = Agent("agent", model=OpenAIChatCompletionsModel("mock", client), tools=offered)
    result = Runner.run_streamed(agent, "Hello", max_turns=1)
    async for event in result.stream_events():
        item = getattr(event, "item", None)
        print(getattr(event, "name", event.type), getattr(event, "data", item and item.raw_item))
    print("text", ItemHelpers.text_message_outputs(result.new_items))


asyncio.run(main(json.loads(Path("requests.json").read_text("utf-8"))[0]["body"]))
