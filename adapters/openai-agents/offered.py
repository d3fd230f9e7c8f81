"""The tools of a run as tools of the Agents SDK; those that it executes emit their calls."""

import json

from agents import (
    ApplyPatchTool,
    CodeInterpreterTool,
    Computer,
    ComputerTool,
    CustomTool,
    FileSearchTool,
    FunctionTool,
    HostedMCPTool,
    ImageGenerationTool,
    LocalShellTool,
    ShellTool,
    WebSearchTool,
)


def function(t, emit):
    """A function tool that emits its call when it is executed."""

    async def invoked(context, arguments):
        called(emit, context.tool_call_id, t["name"], arguments)
        return "noted"

    return FunctionTool(
        name=t["name"],
        description=t["description"],
        params_json_schema=t["input_schema"],
        on_invoke_tool=invoked,
        strict_json_schema=False,
    )


def custom(t, emit):
    """A custom tool that emits its call when it is executed; its input is text."""

    async def invoked(context, text):
        begun = {"id": context.tool_call_id, "toolName": t["name"], "inputEncoding": "text"}
        emit({"type": "tool-input-start", **begun})
        called(emit, context.tool_call_id, t["name"], json.dumps(text))
        return "noted"

    return CustomTool(t["name"], t["description"], invoked)


def shell(t, emit):
    """A shell, or local shell, that runs nothing and emits its call."""

    def run(request):
        data = request.data
        call = data if isinstance(data, dict) else vars(data)
        called(
            emit, call["call_id"], t["name"], json.dumps({"action": call["action"]}, default=vars)
        )
        return ""

    return {"shell": ShellTool, "local_shell": LocalShellTool}[t["type"]](run)


TOOLS = {
    "function": function,
    "custom": custom,
    "shell": shell,
    "local_shell": shell,
    "apply_patch": lambda _t, _emit: ApplyPatchTool(Idle()),
    "computer": lambda _t, _emit: ComputerTool(Idle()),
    "web_search": lambda _t, _emit: WebSearchTool(),
    "file_search": lambda t, _emit: FileSearchTool(t["options"]["vector_store_ids"]),
    "code_interpreter": lambda t, _emit: CodeInterpreterTool(hosted(t)),
    "image_generation": lambda t, _emit: ImageGenerationTool(hosted(t)),
    "mcp": lambda t, _emit: HostedMCPTool(hosted(t)),
}


def hosted(t):
    return {"type": t["type"], **t["options"]}


class Idle:
    """An editor and a computer whose methods do nothing."""

    environment, dimensions = "browser", (1024, 768)

    def __getattr__(self, _name):
        return lambda *_args, **_more: ""


Computer.register(Idle)
HOSTS = {"apply_patch_call": ("apply_patch", "operation"), "computer_call": ("computer", "action")}


def item_called(item, emit):
    """Emit the call of a tool that is executed without the call's id."""
    item = item if isinstance(item, dict) else item.to_dict()
    if item["type"] in HOSTS:
        name, what = HOSTS[item["type"]]
        called(emit, item["call_id"], name, json.dumps({what: item[what]}))


def called(emit, id_, name, input_):
    emit({"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_})
