"""openai (Python), its stream helper: text as it comes, calls from the final response.

The helper joins events into a snapshot and returns a final response. The binding uses only what the
helper documents: text and refusals come from its delta events, and what these lack at the end from
``get_final_response()``; calls and approvals are the items of that response, with arguments as
text. Its users read reasoning and citations from the snapshot, if at all, so both are hidden here.
The vocabulary is `stream`.
"""

import openai
from conversation import items, responses_tool
from failures import failed, require_plain
from hosted import hosted_parts
from openai_errors import failed_by

LIBRARY = "openai"
DIALECTS = ["openresponses"]

SHOWN = ("response.output_text.delta", "response.refusal.delta")


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"], api_key=run["api_key"], max_retries=run["options"]["max_retries"]
    )
    came = ""
    try:
        async with client, client.responses.stream(**asked(run)) as stream:
            async for event in stream:
                if event.type in SHOWN:
                    came += event.delta
                    emit({"type": "text-delta", "id": "text", "delta": event.delta})
            try:
                final = await stream.get_final_response()
            except RuntimeError as error:
                # No event has completed the response, and there are no more.
                return failed("truncated", str(error))
    except openai.APIError as error:
        return failed_by(error)
    except RuntimeError as error:
        # The helper raises these for a stream that it cannot follow.
        require_plain(error, RuntimeError)
        return failed("decode", str(error))
    whole = "".join(map(text_of, final.output))
    if whole.startswith(came) and whole != came:
        emit({"type": "text-delta", "id": "text", "delta": whole[len(came) :]})
    return ended(final, emit)


def asked(run):
    """The arguments of the request."""
    said, tools = list(items(run["messages"])), [*map(responses_tool, run["tools"])]
    more = {name: value for name, value in run["options"].items() if name != "max_retries"}
    return {"model": run["model"], "input": said, "tools": tools, **more}


def text_of(item):
    """The text and refusals of a message; empty for other items."""
    named = {"output_text": "text", "refusal": "refusal"}
    parts = item.content if item.type == "message" else []
    return "".join(getattr(part, named[part.type]) for part in parts if part.type in named)


def ended(final, emit):
    """Emit the calls of a final response, and return the ending."""
    if final.status == "failed":
        return failed("upstream", final.error.message if final.error else "the response has failed")
    for item in final.output:
        if item.type == "function_call":
            call = {"toolCallId": item.call_id, "toolName": item.name, "input": item.arguments}
            emit({"type": "tool-call", **call})
        for part in hosted_parts(item.to_dict()):
            emit(part)
    usage = final.usage
    tokens = {"input": usage.input_tokens, "output": usage.output_tokens} if usage else None
    return {"outcome": "completed"} | ({"usage": tokens} if tokens else {})
