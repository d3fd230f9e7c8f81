"""The OpenAI Agents SDK: a streamed run in, parts of the vocabulary `stream` out.

The runner yields the model's raw events, whose text and reasoning are emitted as they come, and its
own items, which add what did not stream, and the citations; a refusal ends the run with an
exception. A call is emitted when the runner executes it: each tool emits its call and input. A
patch and a computer's action are executed without the id of their call, so for them the runner's
item is emitted, as for a remote call that waits for approval and what became of it. The run ends
after one request: the agent stops at its functions, and has no turn left to report other tools'
results.
"""

from agents import (
    Agent,
    ModelSettings,
    OpenAIResponsesModel,
    Runner,
    StopAtTools,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException, MaxTurnsExceeded
from conversation import items
from offered import TOOLS, emit_hosted
from openai import APIError, AsyncOpenAI
from reader import Reader, completed, failed_by

LIBRARY = "openai-agents"
DIALECTS = ["openresponses"]

set_tracing_disabled(True)

HOSTED = ("tool_called", "mcp_approval_requested")
# These are emitted when they are executed.
EXECUTED = ("function_call", "custom_tool_call", "shell_call", "local_shell_call")


async def run(run, emit):
    retries = run["options"]["max_retries"]
    client = AsyncOpenAI(base_url=run["base_url"], api_key=run["api_key"], max_retries=retries)
    names = [t["name"] for t in run["tools"]]
    offered = [t for t in run["tools"] if t.get("type", "function") in TOOLS]
    agent = Agent(
        name="binding",
        model=OpenAIResponsesModel(run["model"], client),
        model_settings=settings(run["options"]),
        tools=[TOOLS[t.get("type", "function")](t, emit) for t in offered],
        tool_use_behavior=StopAtTools(stop_at_tool_names=names),
    )
    reader = Reader(emit)
    try:
        async with client:
            streamed = Runner.run_streamed(agent, list(items(run["messages"])), max_turns=1)
            try:
                async for event in streamed.stream_events():
                    if event.type == "raw_response_event":
                        reader.raw(event.data)
                    elif event.type == "run_item_stream_event" and event.name in HOSTED:
                        item_made(event.item.raw_item, emit)
                    elif event.type == "run_item_stream_event":
                        reader.item(event.name, event.item)
            finally:
                streamed.cancel()  # or its tools would go on
    except MaxTurnsExceeded:
        pass  # it has run its tools
    except (AgentsException, APIError) as error:
        return failed_by(error)
    return completed(streamed)


def item_made(item, emit):
    """Emit an approval that is asked for, or the call of a tool that is executed without its id."""
    type_ = item["type"] if isinstance(item, dict) else item.type
    if type_ not in EXECUTED:
        emit_hosted(item, emit)


def settings(options):
    """The options of a run as settings of the model; ``max_retries`` is the client's."""
    more = {name: value for name, value in options.items() if name != "max_retries"}
    store, include = more.pop("store", None), more.pop("include", None)
    return ModelSettings(store=store, response_include=include, extra_args=more or None)
