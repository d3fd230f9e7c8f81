"""The content of the items of OpenAI's tools: calls, their results, approvals and images.

An adapter that knows only the specification ignores these items. One that knows them passes on a
call that the host must run, or an image; the expected content of a script has a version for each.
"""

from dataclasses import dataclass
from typing import Any

from mockserver.foundation.call_arguments import read_arguments
from mockserver.scenario.expected import ExpectData
from mockserver.scenario.hosted import (
    ApplyPatch,
    CodeInterpreter,
    ComputerUse,
    CustomCall,
    FileSearch,
    GeneratedImage,
    LocalShell,
    McpApproval,
    McpCall,
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


def hosted_content(tool: Tool) -> Hosted | None:
    """The call or the request for approval that a tool's items are; None if they are neither."""
    match tool:
        case CodeInterpreter():
            input_ = {"code": tool.code} | ({"container": tool.container} if tool.container else {})
            outputs = None if tool.outputs is None else [dict(each) for each in tool.outputs]
            result = HostedResult(outputs, tool.failed)
            return HostedCall("code_interpreter", tool.id, input_, text=tool.code, result=result)
        case GeneratedImage():
            result, previews = HostedResult(tool.result, tool.failed), tool.partials
            return HostedCall("image_generation", tool.id, {}, result=result, previews=previews)
        case WebSearch():
            result = HostedResult(dict(tool.action), tool.failed)
            return HostedCall("web_search", tool.id, {}, result=result)
        case FileSearch():
            results = None if tool.results is None else [dict(each) for each in tool.results]
            queries = {"queries": [*tool.queries]}
            return HostedCall("file_search", tool.id, queries, result=HostedResult(results))
        case McpCall():
            return HostedCall(
                "mcp",
                tool.id,
                read_arguments(tool.arguments).value,
                tool.name,
                tool.arguments,
                result=HostedResult(tool.error or tool.output, failed=tool.error is not None),
                approval=tool.approval,
            )
        case McpApproval():
            input_ = read_arguments(tool.arguments).value
            return ApprovalRequest(tool.id, tool.server, tool.name, input_)
        case ToolSearch():
            found = None if tool.call_id else HostedResult([dict(each) for each in tool.tools])
            by_host, arguments = runs_at_host(tool), dict(tool.arguments)
            return HostedCall("tool_search", tool.call_id, arguments, by_host=by_host, result=found)
        case Program():
            answer = None if tool.result is None else HostedResult(tool.result)
            return HostedCall("program", tool.call_id, {"code": tool.code}, result=answer)
        case Shell(outputs=printed) if printed is not None:
            shown = [
                {"stdout": each.stdout, "stderr": each.stderr, "exit": each.exit_code}
                for each in printed
            ]
            commands = {"commands": list(tool.commands), **tool.options}
            return HostedCall("shell", id_of(tool), commands, result=HostedResult(shown))
        case Shell():
            return _host_call("shell", tool, {"commands": list(tool.commands), **tool.options})
        case LocalShell():
            return _host_call("local_shell", tool, {"command": list(tool.command), **tool.options})
        case ApplyPatch():
            diff = {} if tool.operation == "delete_file" else {"diff": tool.diff}
            operation = {"type": tool.operation, "path": tool.path, **diff}
            return _host_call("apply_patch", tool, {"operation": operation})
        case ComputerUse():
            return _host_call("computer", tool, {"actions": list(tool.actions)})
        case CustomCall():
            return _host_call("custom", tool, tool.input, tool.name)
    # A list of tools, speech and a compaction are neither calls nor results.
    return None


def _host_call(name: str, tool: Tool, input_: Any, called: str = "") -> HostedCall:
    return HostedCall(
        name, id_of(tool), input_, called, streamed_text(tool), by_host=runs_at_host(tool)
    )


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
