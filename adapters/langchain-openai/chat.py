"""LangChain's ChatOpenAI over chat completions: message chunks in, vocabulary `stream` out.

Text is the content of each chunk. Calls are those that an agent executes: ``tool_calls`` of the sum
of all chunks, whatever the finish. ``invalid_tool_calls``, whose arguments the library cannot
parse, are emitted with that text if they have a name and an id. By its documentation the library
does not read reasoning in fields that are not OpenAI's own. The timeout between chunks is off: with
it, on Python 3.11, a cancellation that comes together with a chunk is lost (``asyncio.wait_for``).
"""

import openai
from calls import emit_calls, reason_of, tool_call
from conversation import chat
from failures import failed
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
    except (openai.APIError, ValueError) as error:
        return failed(*reason_of(error))
    return ended(chunks, emit)


def ended(chunks, emit):
    """Emit the calls of the sum of all chunks, and return the ending."""
    if not chunks:
        return {"outcome": "completed"}
    whole = add_ai_message_chunks(*chunks)
    # The sum concatenates the finish reasons of all chunks, so they are read from the chunks.
    finishes = [chunk.response_metadata.get("finish_reason") for chunk in chunks]
    finish = next(filter(None, reversed(finishes)), None)
    emit_calls(whole, emit)
    if old := whole.additional_kwargs.get("function_call"):
        # The deprecated single call has no id; its name serves as one.
        emit(tool_call({"id": old["name"], **old}, old["arguments"] or ""))
    if finish and finish not in CUT | WHOLE:
        return failed("upstream", f"the finish is {finish}")
    tokens = whole.usage_metadata
    usage = {"input": tokens["input_tokens"], "output": tokens["output_tokens"]} if tokens else None
    done = {"outcome": "completed", "finish": (CUT | WHOLE).get(finish), "usage": usage}
    return {name: value for name, value in done.items() if value is not None}
