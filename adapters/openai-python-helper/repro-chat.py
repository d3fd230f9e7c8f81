"""Asks for a completion by ``create`` and by openai's helper: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

import openai

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=request["max_retries"])
    streamed = {"stream", "stream_options"}
    asked = {name: value for name, value in request["body"].items() if name not in streamed}
    try:
        plain = client.chat.completions.create(**asked)
        print("create", plain.choices[0].message.to_json(indent=None))
        with client.chat.completions.stream(**asked) as stream:
            for event in stream:
                shown = {"content", "refusal", "name", "arguments"}
                print(event.type, event.model_dump(include=shown))
            print("final", stream.get_final_completion().choices[0].message.to_json(indent=None))
    except Exception as error:
        print("raised", repr(error))
