"""LiteLLM's bridge: a Responses upstream read as chat-completion chunks, vocabulary `stream` out.

``acompletion`` with a model ``openai/responses/…`` asks the upstream for a Responses stream and
yields chat-completion chunks. Content and reasoning are emitted as they come, and the summaries of
``reasoning_items`` at the end if no reasoning came. A call is joined from its deltas by index, as
any reader of chat completions does, and emitted at the end; what came as the arguments of a custom
tool is its text. Citations are the ``annotations`` of the chunks' deltas.
"""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm
from citations import emit_citations
from conversation import chat, chat_tool
from failures import failed

LIBRARY = "litellm"
DIALECTS = ["openresponses"]

FINISH = {"stop", "length", "content_filter", "tool_calls"}
litellm.telemetry = False
litellm.suppress_debug_info = True


async def run(run, emit):
    settings = {name: value for name, value in run["options"].items() if name != "max_retries"}
    asked = {
        "model": "openai/responses/gpt-4o",  # a known model: others are not streamed
        "messages": chat(run)["messages"],
        "api_base": run["base_url"],
        "api_key": run["api_key"],
        "max_retries": run["options"]["max_retries"],
        "stream_options": {"include_usage": True},
        **settings,
    }
    if run["tools"]:
        asked["tools"] = [chat_tool(t) for t in run["tools"]]
    try:
        stream = await litellm.acompletion(**asked, stream=True)
        custom = {t["name"] for t in run["tools"] if t.get("type") == "custom"}
        return await read(stream, emit, custom)
    except litellm.exceptions.APIError as error:
        return failed("upstream", str(error), getattr(error, "code", None))
    except Exception as error:  # its exceptions have no common base class
        if type(error).__module__.startswith(("litellm", "openai")):
            return failed("upstream", str(error), getattr(error, "code", None))
        raise


async def read(stream, emit, custom):
    calls, thoughts, finish, usage, last = {}, Thoughts(emit), None, None, None
    async for chunk in stream:
        usage = getattr(chunk, "usage", None) or usage
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            thoughts.read(choice.delta)
            last = read_delta(choice.delta, calls, emit) or last
    thoughts.ended()
    for call in calls.values():
        if call["toolName"] in custom:
            start = {"id": call["toolCallId"], "toolName": call["toolName"]}
            emit({"type": "tool-input-start", **start, "inputEncoding": "text"})
            call["input"] = json.dumps(call["input"])
            if finish == "length" and call is last:
                continue  # any beginning of a text is one: only the finish reason tells it
        emit({"type": "tool-call", **call})
    done = {"outcome": "completed", "finish": finish.replace("_", "-")} if finish in FINISH else {}
    tokens = {"input": usage.prompt_tokens, "output": usage.completion_tokens} if usage else None
    return {"outcome": "completed", **done} | ({"usage": tokens} if tokens else {})


def read_delta(delta, calls, emit):
    """Emit a delta's text and citations, and add its calls. Returns the call or text it is in."""
    last = delta.content
    if delta.content:
        emit({"type": "text-delta", "id": "text", "delta": delta.content})
    emit_citations(delta, emit)
    for piece in delta.tool_calls or ():
        empty = {"toolCallId": "", "toolName": "", "input": ""}
        last = call = calls.setdefault(piece.index, empty)
        call["toolCallId"] = call["toolCallId"] or piece.id or ""
        call["toolName"] = call["toolName"] or piece.function.name or ""
        call["input"] += piece.function.arguments or ""
    return last


class Thoughts:
    """Emits reasoning as it comes, or the summaries of the finished items if none came."""

    def __init__(self, emit):
        self.emit, self.came, self.summaries = emit, False, []

    def read(self, delta):
        if text := getattr(delta, "reasoning_content", None):
            self.came = True
            self.show(text)
        for item in getattr(delta, "reasoning_items", None) or ():
            self.summaries += [piece["text"] for piece in item["summary"] if piece.get("text")]

    def ended(self):
        for text in () if self.came else self.summaries:
            self.show(text)

    def show(self, text):
        self.emit({"type": "reasoning-delta", "id": "reasoning", "delta": text})
