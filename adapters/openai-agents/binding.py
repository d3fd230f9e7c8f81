"""The OpenAI Agents SDK: a streamed run in, parts of the vocabulary `stream` out.

The runner hands on the model's raw events, of which text is shown as it comes, and its own items; a
refusal ends the run with an exception. A call is what the runner really executes: each tool here is
a function that notes with which arguments it was run. The agent stops at its tools, so that there
is one request. What the SDK makes of reasoning and citations is left to its users and hidden here.
"""

from agents import (
    Agent,
    FunctionTool,
    OpenAIResponsesModel,
    Runner,
    StopAtTools,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException
from openai import APIError, AsyncOpenAI

LIBRARY = "openai-agents"
DIALECTS = ["openresponses"]

TEXT = "response.output_text.delta"
set_tracing_disabled(True)


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    names = [t["name"] for t in run["tools"]]
    agent = Agent(
        name="binding",
        model=OpenAIResponsesModel(run["model"], client),
        tools=[tool(t, emit) for t in run["tools"]],
        tool_use_behavior=StopAtTools(stop_at_tool_names=names),
    )
    usage = None
    try:
        async with client:
            streamed = Runner.run_streamed(agent, run["messages"][0]["content"], max_turns=1)
            async for event in streamed.stream_events():
                if event.type == "raw_response_event" and event.data.type == TEXT:
                    emit({"type": "text-delta", "id": "text", "delta": event.data.delta})
    except (AgentsException, APIError, ValueError) as error:
        return {"outcome": "failed", "error": {"kind": "upstream", "message": str(error)}}
    tokens = streamed.context_wrapper.usage
    if tokens.input_tokens or tokens.output_tokens:
        usage = {"input": tokens.input_tokens, "output": tokens.output_tokens}
    return {"outcome": "completed"} | ({"usage": usage} if usage else {})


def tool(t, emit):
    """A tool that tells that it was run, and with what."""

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
