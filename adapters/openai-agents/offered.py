"""The tools of a run as the Agents SDK has them; those that it runs tell that they were run."""

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
    """A function that tells that it was run, and with what."""

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
    """A custom tool that tells so; its input is a text."""

    async def invoked(context, text):
        begun = {"id": context.tool_call_id, "toolName": t["name"], "inputEncoding": "text"}
        emit({"type": "tool-input-start", **begun})
        called(emit, context.tool_call_id, t["name"], json.dumps(text))
        return "noted"

    return CustomTool(t["name"], t["description"], invoked)


def shell(t, emit):
    """A shell that runs nothing; local shells are called alike."""

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
    """An editor, and a computer, that does nothing whatever it is asked."""

    environment, dimensions = "browser", (1024, 768)

    def __getattr__(self, _name):
        return lambda *_args, **_more: ""


Computer.register(Idle)
HOSTS = {"apply_patch_call": ("apply_patch", "operation"), "computer_call": ("computer", "action")}


def item_called(item, emit):
    """The call of a tool whose executor does not know the call's id."""
    item = item if isinstance(item, dict) else item.to_dict()
    if item["type"] in HOSTS:
        name, what = HOSTS[item["type"]]
        called(emit, item["call_id"], name, json.dumps({what: item[what]}))


def called(emit, id_, name, input_):
    emit({"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_})
