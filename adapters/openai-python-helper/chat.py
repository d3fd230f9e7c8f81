"""openai (Python), its stream helper: text as it comes, calls from the final completion.

The helper joins chunks into a snapshot and returns a final completion. The binding uses only what
the helper documents: text and refusals come from its delta events, which do not distinguish
choices; calls are the tool calls of ``get_final_completion()``, if its finish means that they are
complete. Its events say, too, when a text or the arguments of a call are done, and with which
value: an answer of one choice fails if that is not the value of the final completion. Its types
have no field for reasoning. The vocabulary is `stream`.
"""

import openai
from conversation import chat
from failures import failed, require_plain
from openai_errors import failed_by

LIBRARY = "openai"
DIALECTS = ["chat"]

SHOWN = ("content.delta", "refusal.delta")
DONE = {
    "content.done": lambda event: {"content": event.content},
    "refusal.done": lambda event: {"refusal": event.refusal},
    "tool_calls.function.arguments.done": lambda event: {
        f"call {event.index}": (event.name, event.arguments)
    },
}
FINISH = {"length": "length", "content_filter": "content-filter"}
WHOLE = {"stop": "stop", "tool_calls": "tool-calls", "function_call": "tool-calls"}


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"], api_key=run["api_key"], max_retries=run["options"]["max_retries"]
    )
    asked = {"model": run["model"], **chat(run), "stream_options": {"include_usage": True}}
    try:
        async with client, client.chat.completions.stream(**asked) as stream:
            done = {}
            async for event in stream:
                if event.type in SHOWN and event.delta:
                    emit({"type": "text-delta", "id": "text", "delta": event.delta})
                elif event.type in DONE:
                    done |= DONE[event.type](event)
            final = await stream.get_final_completion()
        ending = ended(final, emit)
        wrong = disagreement(done, final)
        if wrong and ending["outcome"] == "completed":
            return failed("binding", f"the binding reports: {wrong}")
        return ending
    except openai.APIError as error:
        return failed_by(error)
    except openai.OpenAIError as error:
        return failed("decode", str(error))
    except RuntimeError as error:
        # The helper raises these for a stream that it cannot follow.
        require_plain(error, RuntimeError)
        return failed("decode", str(error))


def ended(final, emit):
    """Emit the calls of a final completion, and return the ending."""
    finishes = [choice.finish_reason for choice in final.choices]
    if odd := [finish for finish in finishes if finish not in FINISH | WHOLE]:
        return failed("upstream", f"the finish is {odd[0]}")
    cut = next((FINISH[finish] for finish in finishes if finish in FINISH), None)
    made = [call for choice in final.choices for call in calls(choice.message)]
    for id_, called in [] if cut else made:
        named = {"toolCallId": id_, "toolName": called.name}
        emit({"type": "tool-call", **named, "input": called.arguments or ""})
    done = {"outcome": "completed", "finish": cut or ("tool-calls" if made else "stop")}
    usage = final.usage
    tokens = {"input": usage.prompt_tokens, "output": usage.completion_tokens} if usage else None
    return done | ({"usage": tokens} if tokens else {})


def disagreement(done, final):
    """In which value the events and the final completion differ, if they do."""
    if len(final.choices) != 1:
        return None
    message = final.choices[0].message
    whole = {"content": message.content, "refusal": message.refusal}
    for index, call in enumerate(message.tool_calls or ()):
        whole[f"call {index}"] = (call.function.name, call.function.arguments)
    wrong = {name: value for name, value in whole.items() if value and done.get(name) != value}
    return next((f"{name}: events {done.get(name)}, final {wrong[name]}" for name in wrong), None)


def calls(message):
    """The calls as pairs of id and function; the deprecated single call has its name as id."""
    yield from ((call.id, call.function) for call in message.tool_calls or ())
    if old := message.function_call:
        yield old.name, old
