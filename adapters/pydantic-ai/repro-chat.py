"""Prints an answer of Pydantic AI's agent, streamed and in one piece: ``repro.py BASE_URL``."""

import asyncio
import json
import sys
from pathlib import Path

from pydantic_ai import Agent, DeferredToolRequests, ExternalToolset, ToolDefinition
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(tools):
    model = OpenAIChatModel("mock", provider=OpenAIProvider(sys.argv[1], api_key="none"))
    own = [ToolDefinition(name=tool["function"]["name"]) for tool in tools if "function" in tool]
    agent = Agent(model, toolsets=[ExternalToolset(own)], output_type=[str, DeferredToolRequests])
    try:
        async with agent.run_stream("Hello") as result:
            print("run_stream", repr(await result.get_output()), result.response)
    except Exception as error:
        print("run_stream raised", repr(error))
    print("run", repr((result := await agent.run("Hello")).output), result.response)


asyncio.run(main(json.loads(Path("requests.json").read_text("utf-8"))[0]["body"].get("tools", [])))
