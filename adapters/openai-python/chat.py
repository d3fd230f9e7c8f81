"""openai (Python), its plain stream of chunks: typed chunks in, vocabulary `stream` out.

This stream decodes the wire, types the chunks and raises errors; what the chunks mean is left to
its user. This binding reads the first choice as the types and OpenAI's guide to function calling
describe it: text and refusals from their deltas; the fragments of a call belong together by their
index, and calls are complete with the finish. The types have no field for reasoning, so it is
hidden. The request asks for usage, which is awaited for a second after the finish.
"""

import asyncio

import openai
from conversation import chat
from failures import Contradiction, failed
from openai_errors import failed_by

LIBRARY = "openai"
DIALECTS = ["chat"]

USAGE_SECONDS = 1.0
FINISH = {"length": "length", "content_filter": "content-filter"}
WHOLE = ("stop", "tool_calls", "function_call")


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"], api_key=run["api_key"], max_retries=run["options"]["max_retries"]
    )
    reader = Reader(emit)
    asked = {"model": run["model"], **chat(run), "stream_options": {"include_usage": True}}
    try:
        async with client, await client.chat.completions.create(**asked, stream=True) as stream:
            await read(stream, reader)
        return reader.ended()
    except openai.APIError as error:
        return failed_by(error)


async def read(stream, reader):
    """Read chunks until the stream ends, or until the wait for usage times out."""
    try:
        async with asyncio.timeout(None) as wait:
            async for chunk in stream:
                reader.read(chunk)
                if reader.finish and wait.when() is None:
                    wait.reschedule(asyncio.get_running_loop().time() + USAGE_SECONDS)
    except TimeoutError:
        return


class Reader:
    """Emits the text of chunks as it comes, and the calls when the answer is over."""

    def __init__(self, emit):
        self.emit = emit
        self.calls = []
        self.at = {}
        self.finish = None
        self.usage = None

    def read(self, chunk):
        self.usage = chunk.usage or self.usage
        for choice in chunk.choices or []:
            if not choice.index:
                self.finish = choice.finish_reason or self.finish
                if choice.delta:
                    self.delta(choice.delta)

    def delta(self, delta):
        for text in (delta.content, delta.refusal):
            if text:
                self.emit({"type": "text-delta", "id": "0", "delta": text})
        for fragment in delta.tool_calls or []:
            self.fragment(fragment.index, fragment.id, fragment.function)
        if old := delta.function_call:
            self.fragment("function_call", old.name, old)

    def fragment(self, index, id_, function):
        """Add a fragment to the call at its index; another id and a name begin another call."""
        call = self.at.get(index)
        is_named = function and function.name
        if call is None or (id_ and call["id"] and id_ != call["id"] and is_named):
            call = self.at[index] = {"id": "", "name": "", "arguments": ""}
            self.calls.append(call)
        call["id"] = call["id"] or id_
        if function:
            call["name"] = call["name"] or function.name
            call["arguments"] += function.arguments or ""

    def ended(self):
        """Emit the calls if the answer is whole, and return the ending."""
        if self.finish is None:
            return failed("truncated", "the stream ended without a finish reason")
        if self.finish not in FINISH and self.finish not in WHOLE:
            return failed("upstream", f"the finish reason is {self.finish}")
        if self.finish in WHOLE:
            self.emit_calls()
        finish = FINISH.get(self.finish, "tool-calls" if self.calls else "stop")
        done = {"outcome": "completed", "finish": finish}
        if self.usage is None:
            return done
        used = {"input": self.usage.prompt_tokens, "output": self.usage.completion_tokens}
        return {**done, "usage": used}

    def emit_calls(self):
        """Emit each call once. Raises Contradiction for a call that cannot be answered."""
        emitted = {}
        for call in self.calls:
            if not call["id"] or not call["name"]:
                raise Contradiction("a call has no id or no name")
            if emitted.setdefault(call["id"], call) is call:
                named = {"toolCallId": call["id"], "toolName": call["name"]}
                self.emit({"type": "tool-call", **named, "input": call["arguments"]})
            elif emitted[call["id"]] != call:
                raise Contradiction(f"two calls have the id {call['id']}")
