"""Prints LangChain's chunks of the Responses API and their sum: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

from langchain_openai import ChatOpenAI

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    upstream = {"model": "mock", "base_url": sys.argv[1], "api_key": "none"}
    model = ChatOpenAI(
        **upstream, max_retries=request["max_retries"], use_responses_api=True, streaming=True
    )
    whole = None
    try:
        for chunk in model.bind_tools(request["body"].get("tools", [])).stream("Hello"):
            whole = chunk if whole is None else whole + chunk
            print(repr(chunk))
        print("tool_calls", whole and whole.tool_calls)
        print("invalid_tool_calls", whole and whole.invalid_tool_calls)
    except Exception as error:
        print("raised", repr(error))
