"""The content of the items of OpenAI's tools: calls, their results, approvals and images.

An adapter that knows only the specification ignores these items. One that knows them passes on a
call that the host must run, or an image; the expected content of a script has a version for each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.foundation.call_arguments import read_arguments
from mockserver.scenario.expected import ExpectData
from mockserver.scenario.hosted import (
    ApplyPatch,
    Audio,
    CodeInterpreter,
    Compaction,
    ComputerUse,
    CustomCall,
    FileSearch,
    GeneratedImage,
    LocalShell,
    McpApproval,
    McpCall,
    McpTools,
    Program,
    Shell,
    Tool,
    ToolSearch,
    WebSearch,
    id_of,
    runs_at_host,
    streamed_text,
)


@dataclass(frozen=True, slots=True)
class HostedResult:
    """What a tool of the upstream gave: its outputs, or a failure; ``value`` is as it is sent.

    ``value`` is None if the upstream does not send it, as outputs that were not requested.
    """

    value: Any
    failed: bool = False


@dataclass(frozen=True, slots=True)
class HostedCall:
    """A call of one of OpenAI's tools.

    ``tool`` is the tool in the terms of the Responses API, ``name`` what it calls if it has
    several, such as the tool of an MCP server. ``id`` is that of the call or, if it has none, of
    its item; it is empty if the dialect makes it. ``input`` is the input as JSON, or text for a
    custom tool; ``text`` is the code, diff, arguments or input that is streamed. ``by_host`` is
    whether the host must run it. ``previews`` are partial images. ``approval`` is the id of the
    request for the user's approval, if there was one.
    """

    tool: str
    id: str
    input: Any
    name: str = ""
    text: str = ""
    by_host: bool = False
    result: HostedResult | None = None
    previews: tuple[str, ...] = ()
    approval: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A request for the user's approval of a call of an MCP server's tool."""

    id: str
    server: str
    name: str
    input: Any


Hosted = HostedCall | ApprovalRequest


def _code(tool: CodeInterpreter) -> Hosted:
    outputs = None if tool.outputs is None else [dict(each) for each in tool.outputs]
    result = HostedResult(outputs, tool.failed)
    input_ = {"code": tool.code, **({"container": tool.container} if tool.container else {})}
    return HostedCall("code_interpreter", tool.id, input_, text=tool.code, result=result)


def _patch(tool: ApplyPatch) -> Hosted:
    diff = {} if tool.operation == "delete_file" else {"diff": tool.diff}
    operation = {"type": tool.operation, "path": tool.path, **diff}
    return _host_call("apply_patch", tool, {"operation": operation})


def _host_call(name: str, tool: Tool, input_: Any, called: str = "") -> HostedCall:
    return HostedCall(
        name, id_of(tool), input_, called, streamed_text(tool), by_host=runs_at_host(tool)
    )


def _image(tool: GeneratedImage) -> Hosted:
    result = HostedResult(tool.result, tool.failed)
    return HostedCall("image_generation", tool.id, {}, result=result, previews=tool.partials)


def _shell(tool: Shell) -> Hosted:
    call = _host_call("shell", tool, {"commands": list(tool.commands), **tool.options})
    if tool.outputs is None:
        return call
    printed = [
        {"stdout": each.stdout, "stderr": each.stderr, "exit": each.exit_code}
        for each in tool.outputs
    ]
    return HostedCall(call.tool, call.id, call.input, result=HostedResult(printed))


def _mcp_call(tool: McpCall) -> Hosted:
    result = HostedResult(tool.error or tool.output, failed=tool.error is not None)
    input_ = read_arguments(tool.arguments).value
    return HostedCall(
        "mcp", tool.id, input_, tool.name, tool.arguments, result=result, approval=tool.approval
    )


def _mcp_approval(tool: McpApproval) -> Hosted:
    return ApprovalRequest(tool.id, tool.server, tool.name, read_arguments(tool.arguments).value)


def _web_search(tool: WebSearch) -> Hosted:
    result = HostedResult(dict(tool.action), tool.failed)
    return HostedCall("web_search", tool.id, {}, result=result)


def _file_search(tool: FileSearch) -> Hosted:
    results = None if tool.results is None else [dict(each) for each in tool.results]
    return HostedCall(
        "file_search", tool.id, {"queries": [*tool.queries]}, result=HostedResult(results)
    )


def _tool_search(tool: ToolSearch) -> Hosted:
    found = None if tool.call_id else HostedResult([dict(each) for each in tool.tools])
    by_host = runs_at_host(tool)
    return HostedCall(
        "tool_search", tool.call_id, dict(tool.arguments), by_host=by_host, result=found
    )


def _program(tool: Program) -> Hosted:
    result = None if tool.result is None else HostedResult(tool.result)
    return HostedCall("program", tool.call_id, {"code": tool.code}, result=result)


_CONTENTS: Mapping[type, Callable[[Any], Hosted | None]] = {
    CodeInterpreter: _code,
    ApplyPatch: _patch,
    GeneratedImage: _image,
    LocalShell: lambda tool: _host_call(
        "local_shell", tool, {"command": list(tool.command), **tool.options}
    ),
    Shell: _shell,
    ComputerUse: lambda tool: _host_call("computer", tool, {"actions": list(tool.actions)}),
    McpCall: _mcp_call,
    McpApproval: _mcp_approval,
    WebSearch: _web_search,
    FileSearch: _file_search,
    ToolSearch: _tool_search,
    CustomCall: lambda tool: _host_call("custom", tool, tool.input, tool.name),
    Program: _program,
    # A list of tools, speech and a compaction are neither calls nor results.
    McpTools: lambda _tool: None,
    Audio: lambda _tool: None,
    Compaction: lambda _tool: None,
}


def hosted_content(tool: Tool) -> Hosted | None:
    """The call or the request for approval that a tool's items are; None if they are neither."""
    return _CONTENTS[type(tool)](tool)


def passed_on(tool: Tool) -> str:
    """A text of a call's input that an adapter which passes on the call has in its input."""
    if isinstance(tool, ApplyPatch):
        return tool.diff or tool.path
    if isinstance(tool, LocalShell | Shell):
        return (tool.command if isinstance(tool, LocalShell) else tool.commands)[0]
    if isinstance(tool, ComputerUse):
        return str(tool.actions[0].get("text") or tool.actions[0]["type"])
    if isinstance(tool, ToolSearch):
        return next((each for each in tool.arguments.values() if isinstance(each, str)), "")
    return tool.input if isinstance(tool, CustomCall) else ""


_MEDIA_TYPES = {"svg": "image/svg+xml"}


def image_of(tool: Tool) -> ExpectData | None:
    """The finished image of a tool's item as data; None if there is none."""
    if not isinstance(tool, GeneratedImage) or not tool.result or tool.failed:
        return None
    return ExpectData(_MEDIA_TYPES.get(tool.format, f"image/{tool.format}"), tool.result)
