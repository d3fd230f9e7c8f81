"""Asks for a response by ``create`` and by openai's helper: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

import openai

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=request["max_retries"])
    asked = {name: value for name, value in request["body"].items() if name != "stream"}
    try:
        print("create", client.responses.create(**asked).to_json(indent=None))
        with client.responses.stream(**asked) as stream:
            for event in stream:
                print(event.type, repr(getattr(event, "delta", "")))
            print("final", stream.get_final_response().to_json(indent=None))
    except Exception as error:
        print("raised", repr(error))
