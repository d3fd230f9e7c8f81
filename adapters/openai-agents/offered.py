"""The tools of a run as tools of the Agents SDK; those that it executes emit their calls."""

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
from hosted import hosted_parts


def function(t, emit):
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


def custom(t, emit):
    """A custom tool that emits its call when it is executed; its input is text."""

    async def invoked(context, text):
        item = {"type": "custom_tool_call", "call_id": context.tool_call_id, "name": t["name"]}
        emit_hosted({**item, "input": text}, emit)
        return "noted"

    return CustomTool(t["name"], t["description"], invoked, **t.get("options", {}))


def shell(t, emit):
    """A shell that runs nothing and emits its call; one in a container is the upstream's."""
    if environment := t.get("options", {}).get("environment"):
        return ShellTool(environment=environment)

    def run(request):
        emit_hosted(request.data.raw, emit)
        return ""

    return ShellTool(run)


def local_shell(_t, emit):
    """A local shell that runs nothing and emits its call."""

    def run(request):
        emit_hosted(request.data, emit)
        return ""

    return LocalShellTool(run)


TOOLS = {
    "function": function,
    "custom": custom,
    "shell": shell,
    "local_shell": local_shell,
    "apply_patch": lambda _t, _emit: ApplyPatchTool(Idle()),
    "computer": lambda _t, _emit: ComputerTool(Idle()),
    "web_search": lambda t, _emit: WebSearchTool(**t.get("options", {})),
    "file_search": lambda t, _emit: FileSearchTool(**t["options"]),
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


def emit_hosted(item, emit):
    """Emit what the host has to know of a hosted tool's item."""
    for part in hosted_parts(item if isinstance(item, dict) else item.to_dict()):
        emit(part)
