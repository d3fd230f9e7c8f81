"""The OpenAI Agents SDK over chat completions: a streamed run in, vocabulary `stream` out.

The runner yields the model's events, which its OpenAIChatCompletionsModel converts to those of the
Responses API; their text is emitted as it comes, and the runner's items add what did not stream. A
refusal ends the run with an exception. A call is emitted when the runner executes it: each tool
here is a function that emits its call and arguments. The agent stops at its tools, so that there is
one request.
"""

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    Runner,
    StopAtTools,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException
from conversation import items
from offered import function
from openai import APIError, AsyncOpenAI
from reader import TEXT, THINKING, Reader, completed, failed_by

LIBRARY = "openai-agents"
DIALECTS = ["chat"]

set_tracing_disabled(True)


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    functions = [t for t in run["tools"] if t.get("type", "function") == "function"]
    agent = Agent(
        name="binding",
        model=OpenAIChatCompletionsModel(run["model"], client),
        # Elsewhere than at api.openai.com the library asks for usage only if it is told to.
        model_settings=ModelSettings(include_usage=True),
        tools=[function(t, emit) for t in functions],
        tool_use_behavior=StopAtTools(stop_at_tool_names=[t["name"] for t in functions]),
    )
    reader = Reader(emit)
    try:
        async with client:
            streamed = Runner.run_streamed(agent, list(items(run["messages"])), max_turns=1)
            try:
                async for event in streamed.stream_events():
                    if event.type == "raw_response_event" and event.data.type in (TEXT, *THINKING):
                        reader.raw(event.data)
                    elif event.type == "run_item_stream_event":
                        reader.item(event.name, event.item)
            finally:
                streamed.cancel()  # or its tools would go on
    except (AgentsException, APIError) as error:
        return failed_by(error)
    return completed(streamed)
