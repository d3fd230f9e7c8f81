"""Asks ChatOpenAI in one piece and streamed, and runs its calls: ``python3 repro.py BASE_URL``."""

import json
import sys
from functools import partial, reduce
from pathlib import Path

from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

body = json.loads(Path(__file__).with_name("requests.json").read_text("utf-8"))[0]["body"]
tools = {}
for tool in body.get("tools", ()):
    ran = partial(lambda name, **given: print("ran", name, given), tool["name"])
    known = {"name": tool["name"], "description": "", "args_schema": tool["parameters"]}
    tools[tool["name"]] = StructuredTool(**known, func=ran)
upstream = {"model": "mock", "base_url": sys.argv[1], "api_key": "none", "max_retries": 0}
model = ChatOpenAI(**upstream, use_responses_api=True).bind_tools(list(tools.values()))
streamed = reduce(lambda whole, chunk: whole + chunk, model.stream("Hello"))
for how, message in {"invoke": model.invoke("Hello"), "stream": streamed}.items():
    print(how, message.content, message.additional_kwargs)
    print(how, "tool_calls", message.tool_calls, "invalid", message.invalid_tool_calls)
    for call in [each for each in message.tool_calls if each["name"] in tools]:
        tools[call["name"]].invoke(call)
