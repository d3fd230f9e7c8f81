"""LangChain's ChatOpenAI over chat completions: message chunks in, vocabulary `stream` out.

Text is the content of each chunk. Calls are those that a user of LangChain executes: ``tool_calls``
of the sum of all chunks, unless the finish says that the answer is incomplete;
``invalid_tool_calls`` are emitted too, so that nothing is hidden. By its documentation the library
does not read reasoning in fields that are not OpenAI's own. The timeout between chunks is off: with
it, on Python 3.11, a cancellation that comes together with a chunk is lost (``asyncio.wait_for``).
"""

import json

import openai
from conversation import chat
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_openai import ChatOpenAI

LIBRARY = "langchain-openai"
DIALECTS = ["chat"]

CUT = {"length": "length", "content_filter": "content-filter"}
WHOLE = {"stop": "stop", "tool_calls": "tool-calls", "function_call": "tool-calls"}


async def run(run, emit):
    asked = chat(run)
    model = ChatOpenAI(
        model=run["model"],
        base_url=run["base_url"],
        api_key=run["api_key"],
        max_retries=run["options"]["max_retries"],
        use_responses_api=False,
        stream_chunk_timeout=None,
        stream_usage=True,
        streaming=True,
    )
    functions = [tool for tool in asked.get("tools", ()) if tool["type"] == "function"]
    model = model.bind_tools(functions) if functions else model
    chunks = []
    try:
        async for chunk in model.astream(asked["messages"]):
            chunks.append(chunk)
            if chunk.content:
                emit({"type": "text-delta", "id": "text", "delta": chunk.content})
    except (openai.APIError, ValueError, TypeError) as error:
        # The library raises these if it cannot go on.
        return failed("upstream", str(error), getattr(error, "code", None))
    return ended(chunks, emit)


def ended(chunks, emit):
    """Emit the calls of the sum of all chunks, and return the ending."""
    if not chunks:
        return {"outcome": "completed"}
    whole = add_ai_message_chunks(*chunks)
    # The sum concatenates the finish reasons of all chunks, so they are read from the chunks.
    finishes = [chunk.response_metadata.get("finish_reason") for chunk in chunks]
    finish = next(filter(None, reversed(finishes)), None)
    if finish not in CUT:
        for call in whole.tool_calls:
            emit(tool_call(call, json.dumps(call["args"])))
        for call in whole.invalid_tool_calls:
            emit(tool_call(call, call["args"] or ""))
        if old := whole.additional_kwargs.get("function_call"):
            # The deprecated single call has no id; its name serves as one.
            emit(tool_call({"id": old["name"], **old}, old["arguments"] or ""))
    if finish and finish not in CUT | WHOLE:
        return failed("upstream", f"the finish is {finish}")
    tokens = whole.usage_metadata
    usage = {"input": tokens["input_tokens"], "output": tokens["output_tokens"]} if tokens else None
    done = {"outcome": "completed", "finish": (CUT | WHOLE).get(finish), "usage": usage}
    return {name: value for name, value in done.items() if value is not None}


def tool_call(call, input_):
    """A call part; a missing id or name becomes an empty one."""
    id_, name = call["id"] or "", call["name"] or ""
    return {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}


def failed(kind, message, code=None):
    return {"outcome": "failed", "error": {"kind": kind, "message": message, "code": code or ""}}
