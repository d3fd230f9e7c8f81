"""Prints the events of one turn of the Agents SDK (max_turns=1): ``python3 repro.py BASE_URL``."""

import asyncio
import json
import sys
from pathlib import Path

from agents import Agent, FunctionTool, OpenAIResponsesModel, Runner
from openai import AsyncOpenAI


async def called(context, arguments):
    print("called", context, arguments)


async def main(body):
    client = AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
    names = [tool["name"] for tool in body.get("tools", []) if tool["type"] == "function"]
    offered = [FunctionTool(name, "", {}, called, strict_json_schema=False) for name in names]
    agent = Agent("agent", model=OpenAIResponsesModel("mock", client), tools=offered)
    async for event in Runner.run_streamed(agent, "Hello", max_turns=1).stream_events():
        print(event)


asyncio.run(main(json.loads(Path("requests.json").read_text("utf-8"))[0]["body"]))
