"""Asks ChatOpenAI for chat completions in one piece and streamed: ``python3 repro.py BASE_URL``."""

import sys
from functools import reduce

from langchain_openai import ChatOpenAI

upstream = {"model": "mock", "base_url": sys.argv[1], "api_key": "none", "max_retries": 0}
model = ChatOpenAI(**upstream, use_responses_api=False)
streamed = reduce(lambda whole, chunk: whole + chunk, model.stream("Hello"))
for how, message in {"invoke": model.invoke("Hello"), "stream": streamed}.items():
    print(how, repr(message.content), message.additional_kwargs)
    print(how, "finish_reason", message.response_metadata["finish_reason"])
    print(how, "tool_calls", message.tool_calls, "invalid", message.invalid_tool_calls)
