"""Prints the events of openai's plain stream of responses: ``python3 repro.py BASE_URL``."""

import json
import sys
from pathlib import Path

import openai

for request in json.loads(Path(__file__).with_name("requests.json").read_text("utf-8")):
    client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=request["max_retries"])
    try:
        for event in client.responses.create(**{**request["body"], "stream": True}):
            print(event.to_json(indent=None))
    except Exception as error:
        print("raised", repr(error))
