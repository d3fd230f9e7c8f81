"""LiteLLM's acompletion over chat completions: its chunks in, vocabulary `stream` out.

Content, reasoning and annotations of every choice are emitted as they come. Calls are those of the
library's own sum of all chunks.
"""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm
from citations import emit_citations
from conversation import chat
from failures import failed

LIBRARY = "litellm"
DIALECTS = ["chat"]

FINISH = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content-filter",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
}
litellm.telemetry = False
litellm.suppress_debug_info = True


async def run(run, emit):
    asked = {
        "model": f"openai/{run['model']}",
        "api_base": run["base_url"],
        "api_key": run["api_key"],
        "max_retries": run["options"]["max_retries"],
        "stream_options": {"include_usage": True},
    }
    try:
        stream = await litellm.acompletion(**asked, **chat(run), stream=True)
        return await read(stream, emit)
    except litellm.exceptions.APIError as error:
        return failed("upstream", str(error), getattr(error, "code", None))
    except Exception as error:  # its exceptions have no common base class
        if type(error).__module__.startswith(("litellm", "openai")):
            return failed("upstream", str(error), getattr(error, "code", None))
        raise


async def read(stream, emit):
    chunks, usage = [], None
    async for chunk in stream:
        chunks.append(chunk)
        usage = getattr(chunk, "usage", None) or usage
        for choice in chunk.choices:
            emit_citations(choice.delta, emit)
            if thought := getattr(choice.delta, "reasoning_content", None):
                emit({"type": "reasoning-delta", "id": "reasoning", "delta": thought})
            for text in (choice.delta.content, getattr(choice.delta, "refusal", None)):
                if text:
                    emit({"type": "text-delta", "id": "text", "delta": text})
    whole = litellm.stream_chunk_builder(chunks)
    done = {"outcome": "completed", **(ended(whole.choices[0], emit) if whole else {})}
    tokens = {"input": usage.prompt_tokens, "output": usage.completion_tokens} if usage else None
    return done | ({"usage": tokens} if tokens else {})


def ended(choice, emit):
    """Emit the calls of the sum of all chunks, and return its finish."""
    if old := getattr(choice.message, "function_call", None):
        # The deprecated single call has no id; its name serves as one.
        named = {"toolCallId": old.name, "toolName": old.name}
        emit({"type": "tool-call", **named, "input": old.arguments})
    for call in choice.message.tool_calls or ():
        called = call.function if call.type == "function" else call.custom
        input_ = called.arguments if call.type == "function" else called.input
        named = {"toolCallId": call.id or "", "toolName": called.name or ""}
        emit({"type": "tool-call", **named, "input": input_})
    return {"finish": FINISH.get(choice.finish_reason, "other")}
