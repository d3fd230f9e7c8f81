"""The OpenAI Agents SDK over chat completions: a streamed run in, vocabulary `stream` out.

The runner yields the model's events, which its OpenAIChatCompletionsModel converts to those of the
Responses API; their text is emitted as it comes. A refusal ends the run with an exception. A call
is emitted when the runner executes it: each tool here is a function that emits its call and
arguments. The agent stops at its tools, so that there is one request. The SDK does not read
reasoning from the fields that this upstream sends.
"""

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    Runner,
    StopAtTools,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException
from conversation import items
from openai import APIError, AsyncOpenAI

LIBRARY = "openai-agents"
DIALECTS = ["chat"]

TEXT = "response.output_text.delta"
set_tracing_disabled(True)


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    functions = [t for t in run["tools"] if t.get("type", "function") == "function"]
    agent = Agent(
        name="binding",
        model=OpenAIChatCompletionsModel(run["model"], client),
        tools=[tool(t, emit) for t in functions],
        tool_use_behavior=StopAtTools(stop_at_tool_names=[t["name"] for t in functions]),
    )
    usage = None
    try:
        async with client:
            streamed = Runner.run_streamed(agent, list(items(run["messages"])), max_turns=1)
            async for event in streamed.stream_events():
                if event.type == "raw_response_event" and event.data.type == TEXT:
                    emit({"type": "text-delta", "id": "text", "delta": event.data.delta})
    except (AgentsException, APIError, ValueError) as error:
        told = {"message": str(error), "code": getattr(error, "code", None) or ""}
        return {"outcome": "failed", "error": {"kind": "upstream", **told}}
    tokens = streamed.context_wrapper.usage
    if tokens.input_tokens or tokens.output_tokens:
        usage = {"input": tokens.input_tokens, "output": tokens.output_tokens}
    return {"outcome": "completed"} | ({"usage": usage} if usage else {})


def tool(t, emit):
    """A function tool that emits its call when it is executed."""

    async def invoked(context, arguments):
        call = {"toolCallId": context.tool_call_id, "toolName": t["name"], "input": arguments}
        emit({"type": "tool-call", **call})
        return "noted"

    return FunctionTool(
        name=t["name"],
        description=t["description"],
        params_json_schema=t["input_schema"],
        on_invoke_tool=invoked,
        strict_json_schema=False,
    )
