"""The OpenAI Agents SDK: a streamed run in, parts of the vocabulary `stream` out.

The runner yields the model's raw events, whose text is emitted as it comes, and its own items; a
refusal ends the run with an exception. A call is emitted when the runner executes it: each tool
emits its call and input. A patch and a computer's action are executed without the id of their call,
so for them the runner's item is emitted. The run ends after one request: the agent stops at its
functions, and has no turn left to report other tools' results. Reasoning and citations are left to
users of the SDK, and hidden here.
"""

from agents import Agent, OpenAIResponsesModel, Runner, StopAtTools, set_tracing_disabled
from agents.exceptions import AgentsException, MaxTurnsExceeded
from conversation import items
from offered import TOOLS, item_called
from openai import APIError, AsyncOpenAI

LIBRARY = "openai-agents"
DIALECTS = ["openresponses"]

TEXT = "response.output_text.delta"
set_tracing_disabled(True)


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    names = [t["name"] for t in run["tools"]]
    offered = [t for t in run["tools"] if t.get("type", "function") in TOOLS]
    agent = Agent(
        name="binding",
        model=OpenAIResponsesModel(run["model"], client),
        tools=[TOOLS[t.get("type", "function")](t, emit) for t in offered],
        tool_use_behavior=StopAtTools(stop_at_tool_names=names),
    )
    usage = None
    try:
        async with client:
            streamed = Runner.run_streamed(agent, list(items(run["messages"])), max_turns=1)
            async for event in streamed.stream_events():
                if event.type == "raw_response_event" and event.data.type == TEXT:
                    emit({"type": "text-delta", "id": "text", "delta": event.data.delta})
                if event.type == "run_item_stream_event" and event.name == "tool_called":
                    item_called(event.item.raw_item, emit)
    except MaxTurnsExceeded:
        pass  # it has run its tools
    except (AgentsException, APIError, ValueError) as error:
        return {"outcome": "failed", "error": {"kind": "upstream", "message": str(error)}}
    tokens = streamed.context_wrapper.usage
    if tokens.input_tokens or tokens.output_tokens:
        usage = {"input": tokens.input_tokens, "output": tokens.output_tokens}
    return {"outcome": "completed"} | ({"usage": usage} if usage else {})
