"""Parses the steps of a script that are items of OpenAI's tools, by the name of the step."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mockserver.foundation.json_fields import omit
from mockserver.foundation.json_text import dump
from mockserver.scenario import hosted
from mockserver.scenario.hosted import Tool
from mockserver.scenario.source import with_tuples

Written = Mapping[str, Any]

_OPERATIONS = ("create", "update", "delete")
_OF_CALLS = (hosted.ComputerUse, hosted.CustomCall, hosted.LocalShell, hosted.Program, hosted.Shell)
"""The tools whose ``id`` is that of a call."""


def _make(kind: Callable[..., Tool], value: Written, *options: str) -> Tool:
    """A tool with the fields that are written; with ``options``, all others but these go there."""
    fields = with_tuples(value)
    if options:
        rest = omit(value, options)
        fields = {**omit(fields, rest), "options": rest}
    if kind in _OF_CALLS and "id" in fields:
        fields["call_id"] = fields.pop("id")
    return kind(**fields)


def _patch(value: Written) -> Tool:
    ((kind, path),) = ((kind, value[kind]) for kind in _OPERATIONS if kind in value)
    operation: Any = f"{kind}_file"
    return hosted.ApplyPatch(value["id"], operation, path, value.get("diff", ""))


def _shell(value: Written) -> Tool:
    if value.get("outputs") is not None:
        value = {**value, "outputs": list(map(_shell_output, value["outputs"]))}
    return _make(hosted.Shell, value, "id", "commands", "container", "outputs")


def _shell_output(value: Written) -> hosted.ShellOutput:
    exit_code = value.get("exit", 0)
    return hosted.ShellOutput(
        value.get("stdout", ""),
        value.get("stderr", ""),
        None if exit_code == "timeout" else int(exit_code),
    )


def _with_arguments(value: Written) -> Written:
    """The fields with the arguments as they are written, or the input as compact JSON."""
    if "arguments" in value:
        return value
    return {**omit(value, ("input",)), "arguments": dump(value.get("input", {}))}


def _web_search(value: Written) -> Tool:
    action: dict[str, Any] = {"type": "search"}
    if "open" in value:
        action = {"type": "open_page", "url": value["open"]}
    elif "find" in value:
        action = {"type": "find_in_page", "pattern": value["find"], "url": value.get("url", "")}
    else:
        action["query"] = value.get("query", "")
    if "sources" in value:
        action["sources"] = [{"type": "url", "url": url} for url in value["sources"]]
    return hosted.WebSearch(action, value.get("id", ""), value.get("failed", False))


TOOLS: Mapping[str, Callable[[Written], Tool]] = {
    "apply_patch": _patch,
    "local_shell": lambda value: _make(hosted.LocalShell, value, "id", "command"),
    "shell": _shell,
    "mcp_call": lambda value: _make(hosted.McpCall, _with_arguments(value)),
    "mcp_approval_request": lambda value: _make(hosted.McpApproval, _with_arguments(value)),
    "web_search": _web_search,
    "tool_search": lambda value: hosted.ToolSearch(
        value.get("input", {}), value.get("id", ""), tuple(value.get("tools", ()))
    ),
    "code_interpreter": partial(_make, hosted.CodeInterpreter),
    "image_generation": partial(_make, hosted.GeneratedImage),
    "computer": partial(_make, hosted.ComputerUse),
    "mcp_list_tools": partial(_make, hosted.McpTools),
    "file_search": partial(_make, hosted.FileSearch),
    "custom_call": partial(_make, hosted.CustomCall),
    "program": partial(_make, hosted.Program),
    "audio": partial(_make, hosted.Audio),
    "compaction": partial(_make, hosted.Compaction),
}
"""Makes the value of each step from what is written beside its name."""

STREAMED = ("code_interpreter", "apply_patch", "mcp_call", "custom_call", "audio")
"""The steps with a text that is streamed in deltas, unless they say ``streamed: false``."""


def wrong(step: str, value: Written) -> str:
    """Why the fields of a step contradict each other; empty if they do not."""
    if {"input", "arguments"} <= value.keys():
        return f"{step!r} has an 'input' or 'arguments', not both"
    if step == "apply_patch":
        if len(set(_OPERATIONS) & value.keys()) != 1:
            return "a patch is of one file, which it creates, updates or deletes"
        if "delete" in value:
            return "a file that is deleted has no 'diff'" if "diff" in value else ""
        return "" if "diff" in value else "a patch has a 'diff'"
    if step == "shell" and "outputs" in value and "container" not in value:
        return "the host runs these commands, so their 'outputs' are not the upstream's"
    if step == "web_search" and len({"query", "open", "find"} & value.keys()) != 1:
        return "a search of the web has a 'query', a page to 'open', or text to 'find' in it"
    return ""
