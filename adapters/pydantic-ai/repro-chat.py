"""Prints Pydantic AI's events of chat completions: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

from pydantic_ai.direct import model_request_stream_sync
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

model = OpenAIChatModel("mock", provider=OpenAIProvider(sys.argv[1], api_key="none"))
messages = [ModelRequest.user_text_prompt("Hello")]
for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    tools = request["body"].get("tools", [])
    names = [tool["function"]["name"] for tool in tools if "function" in tool]
    offered = ModelRequestParameters(function_tools=[ToolDefinition(name=name) for name in names])
    try:
        with model_request_stream_sync(model, messages, model_request_parameters=offered) as stream:
            print(*map(repr, stream), sep="\n")
            print("response", stream.response)
    except Exception as error:
        print("raised", repr(error))
