"""Prints what a run of the Agents SDK gives, streamed and in one piece: ``repro.py BASE_URL``."""

import asyncio
import json
import sys
from pathlib import Path

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI


async def main(body):
    client = AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
    names = [tool["function"]["name"] for tool in body.get("tools", []) if "function" in tool]
    tools = [FunctionTool(n, "", {}, lambda _, a: asyncio.sleep(0, print("ran", a))) for n in names]
    agent = Agent("agent", model=OpenAIChatCompletionsModel("mock", client), tools=tools)
    result = Runner.run_streamed(agent, "Hello")
    try:
        print([e.type async for e in result.stream_events()], "ended", repr(result.final_output))
    except Exception as error:
        print("run_streamed raised", repr(error))
    print("run ended with", repr((await Runner.run(agent, "Hello")).final_output))


asyncio.run(main(json.loads(Path("requests.json").read_text("utf-8"))[0]["body"]))
