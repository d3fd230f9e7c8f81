"""Prints LiteLLM's chunks of chat completions and their sum: ``python3 repro.py BASE_URL``."""

import json
import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    asked = {**request["body"], "model": "openai/mock", "stream": True}
    upstream = {"api_base": sys.argv[1], "api_key": "none", "max_retries": request["max_retries"]}
    chunks = []
    try:
        for chunk in litellm.completion(**asked, **upstream):
            chunks.append(chunk)
            print(chunk.model_dump_json(exclude_none=True))
        print("sum", litellm.stream_chunk_builder(chunks))
    except Exception as error:
        print("raised", repr(error))
