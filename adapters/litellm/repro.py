"""Prints LiteLLM's chunks of a stream of the Responses API: ``python3 repro.py BASE_URL``."""

import json
import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm

# The bridge to the Responses API streams models that it knows.
upstream = {"model": "openai/responses/gpt-4o", "api_base": sys.argv[1], "api_key": "none"}
for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    offered = [tool for tool in request["body"].get("tools", []) if tool["type"] == "function"]
    tools = [{"type": "function", "function": tool} for tool in offered] or None
    asked = {"messages": [{"role": "user", "content": "Hello"}], "tools": tools}
    retries = request["max_retries"]
    try:
        for chunk in litellm.completion(**upstream, **asked, max_retries=retries, stream=True):
            print(chunk.model_dump_json(exclude_none=True))
    except Exception as error:
        print("raised", repr(error))
