"""Asks LiteLLM over the Responses API, in one piece and streamed: ``python3 repro.py BASE_URL``."""

import json
import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm

body = json.loads(Path(__file__).with_name("requests.json").read_text("utf-8"))[0]["body"]
tools = [{"type": "function", "function": tool} for tool in body.get("tools", ())] or None
upstream = {"api_base": sys.argv[1], "api_key": "none", "max_retries": 0}
asked = {"messages": [{"role": "user", "content": "Hello"}], "tools": tools, **upstream}
for stream in (False, True):
    try:
        answer = litellm.completion("openai/responses/gpt-4o", **asked, stream=stream)
        whole = litellm.stream_chunk_builder(list(answer)) if stream else answer
        for choice in whole.choices:
            print("stream" if stream else "plain", choice.model_dump_json(exclude_none=True))
    except Exception as error:
        print("stream raised" if stream else "plain raised", repr(error))
