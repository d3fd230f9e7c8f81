"""The items of OpenAI's tools in a script as events, without the fields that can be derived.

An item is added, reports its progress, streams its text if it has one, and is done.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

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
    ShellOutput,
    ToolSearch,
    WebSearch,
)
from mockserver.scenario.script import Hosted, Send

Fields = Mapping[str, Any]


class _Item:
    """Makes the events of one item, at its output index."""

    def __init__(self, index: int, type_: str) -> None:
        self.index = index
        self.type = type_

    def _send(self, type_: str, **fields: Any) -> Send:
        return Send(type_, {"output_index": self.index, **fields})

    def added(self, **item: Any) -> Send:
        given = {name: value for name, value in item.items() if value not in ("", None)}
        return self._send("response.output_item.added", item={"type": self.type, **given})

    def done(self, **item: Any) -> Send:
        fields = {"item": item} if item else {}
        return self._send("response.output_item.done", **fields)

    def child(self, suffix: str, **fields: Any) -> Send:
        """An event whose type begins with that of the item."""
        return self._send(f"response.{self.type}{suffix}", **fields)

    def progress(self, *steps: str) -> Iterator[Send]:
        yield from (self.child(f".{step}") for step in steps)

    def text(self, stem: str, deltas: tuple[str, ...] | None) -> Iterator[Send]:
        """The deltas of a text, and the event with all of it; nothing if it is not streamed."""
        if deltas is None:
            return
        yield from (self.child(f"{stem}.delta", delta=delta) for delta in deltas)
        yield self.child(f"{stem}.done")


Sends = Iterator[Send]


def _code(tool: CodeInterpreter, step: Hosted, index: int) -> Sends:
    item = _Item(index, "code_interpreter_call")
    yield item.added(id=tool.id, container_id=tool.container)
    yield from item.progress("in_progress")
    yield from item.text("_code", step.deltas)
    yield from item.progress("interpreting")
    if not tool.failed:
        yield from item.progress("completed")
    outputs = None if tool.outputs is None else [_code_output(each) for each in tool.outputs]
    status = {"status": "failed"} if tool.failed else {}
    yield item.done(code=tool.code, outputs=outputs, **status)


def _code_output(output: Fields) -> dict[str, Any]:
    if "image" in output:
        return {"type": "image", "url": output["image"]}
    return {"type": "logs", "logs": output["logs"]}


def _patch(tool: ApplyPatch, step: Hosted, index: int) -> Sends:
    item = _Item(index, "apply_patch_call")
    operation = {"type": tool.operation, "path": tool.path}
    yield item.added(call_id=tool.call_id, operation=operation)
    if tool.operation == "delete_file":
        yield item.done()
        return
    yield from item.text("_operation_diff", step.deltas)
    yield item.done(operation={**operation, "diff": tool.diff})


def _image(tool: GeneratedImage, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "image_generation_call")
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "generating")
    for partial in tool.partials:
        yield item.child(".partial_image", partial_image_b64=partial, output_format=tool.format)
    if tool.failed:
        yield item.done(status="failed", result=tool.result)
        return
    yield from item.progress("completed")
    yield item.done(output_format=tool.format, result=tool.result)


def _local_shell(tool: LocalShell, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "local_shell_call")
    yield item.added(call_id=tool.call_id)
    yield item.done(action={**tool.options, "command": list(tool.command)})


def _shell(tool: Shell, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "shell_call")
    container = {"type": "container_reference", "container_id": tool.container}
    place = {"environment": container} if tool.container else {}
    yield item.added(call_id=tool.call_id, **place)
    for n, command in enumerate(tool.commands):
        yield item.child("_command.added", command_index=n)
        yield item.child("_command.delta", command_index=n, delta=command)
        yield item.child("_command.done", command_index=n)
    yield item.done(action=dict(tool.options)) if tool.options else item.done()
    if tool.outputs is not None:
        yield from _shell_outputs(tool.call_id, tool.outputs, index + 1)


def _shell_outputs(call_id: str, outputs: tuple[ShellOutput, ...], index: int) -> Sends:
    item = _Item(index, "shell_call_output")
    yield item.added(call_id=call_id)
    for n, output in enumerate(outputs):
        printed = {"stdout": output.stdout, "stderr": output.stderr}
        for name, text in printed.items():
            if text:
                yield item.child("_content.delta", command_index=n, delta={name: text})
        exited = {"type": "exit", "exit_code": output.exit_code}
        outcome = {"type": "timeout"} if output.exit_code is None else exited
        yield item.child("_content.done", command_index=n, output=[{"outcome": outcome, **printed}])
    yield item.done()


def _computer(tool: ComputerUse, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "computer_call")
    yield item.added(call_id=tool.call_id)
    yield item.done(actions=list(tool.actions))


def _mcp_call(tool: McpCall, step: Hosted, index: int) -> Sends:
    item = _Item(index, "mcp_call")
    yield item.added(
        id=tool.id, server_label=tool.server, name=tool.name, approval_request_id=tool.approval
    )
    yield from item.progress("in_progress")
    yield from item.text("_arguments", step.deltas)
    yield from item.progress("failed" if tool.error else "completed")
    yield item.done(arguments=tool.arguments, output=tool.output, error=tool.error)


def _mcp_tools(tool: McpTools, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "mcp_list_tools")
    yield item.added(id=tool.id, server_label=tool.server)
    yield from item.progress("in_progress", "failed" if tool.error else "completed")
    error = {"error": tool.error} if tool.error else {}
    yield item.done(tools=list(tool.tools), **error)


def _mcp_approval(tool: McpApproval, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "mcp_approval_request")
    yield item.added(id=tool.id, server_label=tool.server, name=tool.name, arguments=tool.arguments)
    yield item.done()


def _web_search(tool: WebSearch, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "web_search_call")
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "searching", *(() if tool.failed else ("completed",)))
    status = {"status": "failed"} if tool.failed else {}
    yield item.done(action=dict(tool.action), **status)


def _file_search(tool: FileSearch, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "file_search_call")
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "searching", "completed")
    results = None if tool.results is None else list(tool.results)
    yield item.done(queries=list(tool.queries), results=results)


def _tool_search(tool: ToolSearch, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "tool_search_call")
    at_host = {"call_id": tool.call_id, "execution": "client"} if tool.call_id else {}
    yield item.added(**at_host)
    yield item.done(arguments=dict(tool.arguments))
    if not tool.call_id:
        output = _Item(index + 1, "tool_search_output")
        yield output.added(tools=list(tool.tools))
        yield output.done()


def _custom_call(tool: CustomCall, step: Hosted, index: int) -> Sends:
    item = _Item(index, "custom_tool_call")
    yield item.added(call_id=tool.call_id, name=tool.name)
    yield from item.text("_input", step.deltas)
    yield item.done(input=tool.input)


def _program(tool: Program, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "program")
    yield item.added(call_id=tool.call_id, fingerprint=tool.fingerprint)
    yield item.done(code=tool.code)
    if tool.result is not None:
        output = _Item(index + 1, "program_output")
        yield output.added(call_id=tool.call_id)
        yield output.done(result=tool.result)


def _audio(tool: Audio, step: Hosted, _index: int) -> Sends:
    for delta in step.deltas or ():
        yield Send("response.audio.transcript.delta", {"delta": delta})
    yield Send("response.audio.delta", {"delta": tool.data})
    if tool.transcript:
        yield Send("response.audio.transcript.done")
    yield Send("response.audio.done")


def _compaction(tool: Compaction, _step: Hosted, index: int) -> Sends:
    item = _Item(index, "compaction")
    yield item.added(id=tool.id, encrypted_content=tool.encrypted)
    yield from item.progress("compacting")
    yield item.done()


_TOOLS: Mapping[type, Callable[[Any, Hosted, int], Sends]] = {
    CodeInterpreter: _code,
    ApplyPatch: _patch,
    GeneratedImage: _image,
    LocalShell: _local_shell,
    Shell: _shell,
    ComputerUse: _computer,
    McpCall: _mcp_call,
    McpTools: _mcp_tools,
    McpApproval: _mcp_approval,
    WebSearch: _web_search,
    FileSearch: _file_search,
    ToolSearch: _tool_search,
    CustomCall: _custom_call,
    Program: _program,
    Audio: _audio,
    Compaction: _compaction,
}


def hosted_sends(step: Hosted, index: int) -> tuple[Send, ...]:
    """The events of a tool's items, the first of which has this output index."""
    return tuple(_TOOLS[type(step.tool)](step.tool, step, index))
