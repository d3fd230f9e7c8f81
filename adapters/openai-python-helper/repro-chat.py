"""Prints what openai's helper for chat completions returns: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

import openai

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=request["max_retries"])
    asked = {name: value for name, value in request["body"].items() if name != "stream"}
    try:
        with client.chat.completions.stream(**asked) as stream:
            for event in stream:
                shown = {"delta", "content", "refusal", "name", "arguments"}
                print(event.type, event.model_dump(include=shown))
            print("final", stream.get_final_completion().to_json(indent=None))
    except Exception as error:
        print("raised", repr(error))
