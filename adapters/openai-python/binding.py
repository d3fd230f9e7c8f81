"""openai (Python), its plain stream: typed events in, parts of the vocabulary `stream` out.

This stream decodes the wire, types the events and raises errors; what the events mean is left to
its user. This binding reads them as the types and OpenAI's guides to streaming describe them: text,
refusals and reasoning from their deltas, a call when its arguments or its item is done, and from
the final response the ending, the usage and what did not come before. The vocabulary is `stream`.
"""

import openai
from conversation import items, responses_tool
from failures import failed
from openai_errors import failed_by
from reader import Reader

LIBRARY = "openai"
DIALECTS = ["openresponses"]

FINAL = ("response.completed", "response.incomplete", "response.failed")


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"], api_key=run["api_key"], max_retries=run["options"]["max_retries"]
    )
    reader = Reader(emit)
    try:
        async with client, await client.responses.create(**asked(run), stream=True) as stream:
            async for event in stream:
                if event.type in FINAL:
                    return reader.ended(event.response)
                reader.read(event)
    except openai.APIError as error:
        return failed_by(error)
    return failed("truncated", "the stream ended without a final response")


def asked(run):
    """The arguments of the request; those that the library does not name go into the body."""
    said, tools = list(items(run["messages"])), [*map(responses_tool, run["tools"])]
    more = {name: value for name, value in run["options"].items() if name != "max_retries"}
    return {"model": run["model"], "input": said, "tools": tools, "extra_body": more}
