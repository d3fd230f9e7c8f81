"""The items of OpenAI's tools in a script as events, without the fields that can be derived.

An item is added, reports its progress, streams its text if it has one, and is done.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.scenario import hosted
from mockserver.scenario.script import Hosted, Send

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Item:
    """Makes the events of one item, at its output index."""

    index: int
    type: str

    def next(self, type_: str) -> "_Item":
        """The item after this one."""
        return _Item(self.index + 1, type_)

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


def _code(tool: hosted.CodeInterpreter, step: Hosted, item: _Item) -> Sends:
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


def _patch(tool: hosted.ApplyPatch, step: Hosted, item: _Item) -> Sends:
    operation = {"type": tool.operation, "path": tool.path}
    yield item.added(call_id=tool.call_id, operation=operation)
    if tool.operation == "delete_file":
        yield item.done()
        return
    yield from item.text("_operation_diff", step.deltas)
    yield item.done(operation={**operation, "diff": tool.diff})


def _image(tool: hosted.GeneratedImage, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "generating")
    for partial in tool.partials:
        yield item.child(".partial_image", partial_image_b64=partial, output_format=tool.format)
    if tool.failed:
        yield item.done(status="failed", result=tool.result)
        return
    yield from item.progress("completed")
    yield item.done(output_format=tool.format, result=tool.result)


def _local_shell(tool: hosted.LocalShell, _step: Hosted, item: _Item) -> Sends:
    yield item.added(call_id=tool.call_id)
    yield item.done(action={**tool.options, "command": list(tool.command)})


def _shell(tool: hosted.Shell, _step: Hosted, item: _Item) -> Sends:
    container = {"type": "container_reference", "container_id": tool.container}
    place = {"environment": container} if tool.container else {}
    yield item.added(call_id=tool.call_id, **place)
    for n, command in enumerate(tool.commands):
        yield item.child("_command.added", command_index=n)
        yield item.child("_command.delta", command_index=n, delta=command)
        yield item.child("_command.done", command_index=n)
    yield item.done(action=dict(tool.options)) if tool.options else item.done()
    if tool.outputs is not None:
        yield from _shell_outputs(tool.call_id, tool.outputs, item.next("shell_call_output"))


def _shell_outputs(call_id: str, outputs: tuple[hosted.ShellOutput, ...], item: _Item) -> Sends:
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


def _computer(tool: hosted.ComputerUse, _step: Hosted, item: _Item) -> Sends:
    yield item.added(call_id=tool.call_id)
    yield item.done(actions=list(tool.actions))


def _mcp_call(tool: hosted.McpCall, step: Hosted, item: _Item) -> Sends:
    yield item.added(
        id=tool.id, server_label=tool.server, name=tool.name, approval_request_id=tool.approval
    )
    yield from item.progress("in_progress")
    yield from item.text("_arguments", step.deltas)
    yield from item.progress("failed" if tool.error else "completed")
    yield item.done(arguments=tool.arguments, output=tool.output, error=tool.error)


def _mcp_tools(tool: hosted.McpTools, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id, server_label=tool.server)
    yield from item.progress("in_progress", "failed" if tool.error else "completed")
    error = {"error": tool.error} if tool.error else {}
    yield item.done(tools=list(tool.tools), **error)


def _mcp_approval(tool: hosted.McpApproval, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id, server_label=tool.server, name=tool.name, arguments=tool.arguments)
    yield item.done()


def _web_search(tool: hosted.WebSearch, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "searching", *(() if tool.failed else ("completed",)))
    status = {"status": "failed"} if tool.failed else {}
    yield item.done(action=dict(tool.action), **status)


def _file_search(tool: hosted.FileSearch, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id)
    yield from item.progress("in_progress", "searching", "completed")
    results = None if tool.results is None else list(tool.results)
    yield item.done(queries=list(tool.queries), results=results)


def _tool_search(tool: hosted.ToolSearch, _step: Hosted, item: _Item) -> Sends:
    at_host = {"call_id": tool.call_id, "execution": "client"} if tool.call_id else {}
    yield item.added(**at_host)
    yield item.done(arguments=dict(tool.arguments))
    if not tool.call_id:
        output = item.next("tool_search_output")
        yield output.added(tools=list(tool.tools))
        yield output.done()


def _custom_call(tool: hosted.CustomCall, step: Hosted, item: _Item) -> Sends:
    yield item.added(call_id=tool.call_id, name=tool.name)
    yield from item.text("_input", step.deltas)
    yield item.done(input=tool.input)


def _program(tool: hosted.Program, _step: Hosted, item: _Item) -> Sends:
    yield item.added(call_id=tool.call_id, fingerprint=tool.fingerprint)
    yield item.done(code=tool.code)
    if tool.result is not None:
        output = item.next("program_output")
        yield output.added(call_id=tool.call_id)
        yield output.done(result=tool.result)


def _audio(tool: hosted.Audio, step: Hosted, _item: _Item) -> Sends:
    for delta in step.deltas or ():
        yield Send("response.audio.transcript.delta", {"delta": delta})
    yield Send("response.audio.delta", {"delta": tool.data})
    if tool.transcript:
        yield Send("response.audio.transcript.done")
    yield Send("response.audio.done")


def _compaction(tool: hosted.Compaction, _step: Hosted, item: _Item) -> Sends:
    yield item.added(id=tool.id, encrypted_content=tool.encrypted)
    yield from item.progress("compacting")
    yield item.done()


# By tool: the type of its first item, and what makes its events.
_TOOLS: Mapping[type, tuple[str, Callable[[Any, Hosted, _Item], Sends]]] = {
    hosted.CodeInterpreter: ("code_interpreter_call", _code),
    hosted.ApplyPatch: ("apply_patch_call", _patch),
    hosted.GeneratedImage: ("image_generation_call", _image),
    hosted.LocalShell: ("local_shell_call", _local_shell),
    hosted.Shell: ("shell_call", _shell),
    hosted.ComputerUse: ("computer_call", _computer),
    hosted.McpCall: ("mcp_call", _mcp_call),
    hosted.McpTools: ("mcp_list_tools", _mcp_tools),
    hosted.McpApproval: ("mcp_approval_request", _mcp_approval),
    hosted.WebSearch: ("web_search_call", _web_search),
    hosted.FileSearch: ("file_search_call", _file_search),
    hosted.ToolSearch: ("tool_search_call", _tool_search),
    hosted.CustomCall: ("custom_tool_call", _custom_call),
    hosted.Program: ("program", _program),
    hosted.Audio: ("", _audio),
    hosted.Compaction: ("compaction", _compaction),
}


def hosted_sends(step: Hosted, index: int) -> tuple[Send, ...]:
    """The events of a tool's items, the first of which has this output index."""
    type_, make = _TOOLS[type(step.tool)]
    return tuple(make(step.tool, step, _Item(index, type_)))
