"""openai (Python), its plain stream: typed events in, parts of the vocabulary `vscode` out.

This stream only decodes the wire, types the events and raises errors. Its events go through the
kit's reference state machine, in place of the code that a user of the library would write. So any
failure comes from the library's decoding, typing or raising.
"""

import openai
from conversation import items

from conformance.dialects.openresponses.reference.machine import ENDED, ResponsesToVscode

LIBRARY = "openai"
DIALECTS = ["openresponses"]


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"],
        api_key=run["api_key"],
        max_retries=run["options"]["max_retries"],
    )
    machine = ResponsesToVscode()
    try:
        async with client, await client.responses.create(**asked(run), stream=True) as stream:
            async for event in stream:
                for part in machine.event(event.to_dict()):
                    emit(part)
                if machine.phase == ENDED:
                    break
    except openai.APIError as error:
        machine.fail(*describe_error(error))
    except ValueError as error:
        machine.fail("decode", str(error))
    for part in machine.close():
        emit(part)
    return machine.end()


def asked(run):
    """The arguments of the request."""
    said, tools = list(items(run["messages"])), [*map(tool, run["tools"])]
    return {"model": run["model"], "input": said, "tools": tools}


def tool(t):
    """A tool of the request: a function, a custom tool, or one that the upstream runs."""
    match t.get("type", "function"):
        case "function":
            known = {"parameters": t["input_schema"], "strict": False}
            return {"type": "function", "name": t["name"], **known}
        case "custom":
            return {"type": "custom", "name": t["name"], "description": t["description"]}
        case hosted:
            return {"type": hosted, **t["options"]}


def describe_error(error):
    """The kind, message and code of the library's exception."""
    kinds = {openai.APIConnectionError: "transport", openai.APIStatusError: "http"}
    kind = next((kind for type_, kind in kinds.items() if isinstance(error, type_)), "upstream")
    return kind, error.message, error.code
