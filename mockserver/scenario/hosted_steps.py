"""Parses the steps of a script that are items of OpenAI's tools, by the name of the step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
    Tool,
    ToolSearch,
    WebSearch,
)

Written = Mapping[str, Any]


def _code(value: Written) -> Tool:
    outputs = value.get("outputs")
    return CodeInterpreter(
        value["code"],
        value.get("id", ""),
        value.get("container", ""),
        None if outputs is None else tuple(outputs),
        value.get("failed", False),
    )


_OPERATIONS = ("create", "update", "delete")


def _patch(value: Written) -> Tool:
    ((kind, path),) = ((kind, value[kind]) for kind in _OPERATIONS if kind in value)
    operation: Any = f"{kind}_file"
    return ApplyPatch(value["id"], operation, path, value.get("diff", ""))


def _image(value: Written) -> Tool:
    return GeneratedImage(
        value.get("result"),
        value.get("id", ""),
        tuple(value.get("partials", ())),
        value.get("format", "png"),
        value.get("failed", False),
    )


def _rest(value: Written, *names: str) -> dict[str, Any]:
    return {name: field for name, field in value.items() if name not in names}


def _shell(value: Written) -> Tool:
    outputs = value.get("outputs")
    return Shell(
        value["id"],
        tuple(value["commands"]),
        value.get("container", ""),
        None if outputs is None else tuple(map(_shell_output, outputs)),
        _rest(value, "id", "commands", "container", "outputs"),
    )


def _shell_output(value: Written) -> ShellOutput:
    exit_code = value.get("exit", 0)
    return ShellOutput(
        value.get("stdout", ""),
        value.get("stderr", ""),
        None if exit_code == "timeout" else int(exit_code),
    )


def _arguments(value: Written) -> str:
    """The arguments as they are written, or the input as compact JSON."""
    if "arguments" in value:
        return str(value["arguments"])
    return json.dumps(value.get("input", {}), ensure_ascii=False, separators=(",", ":"))


def _mcp_call(value: Written) -> Tool:
    return McpCall(
        value["server"],
        value["name"],
        _arguments(value),
        value.get("id", ""),
        value.get("output"),
        value.get("error"),
        value.get("approval", ""),
    )


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
    return WebSearch(action, value.get("id", ""), value.get("failed", False))


def _file_search(value: Written) -> Tool:
    results = value.get("results")
    return FileSearch(
        tuple(value["queries"]), value.get("id", ""), None if results is None else tuple(results)
    )


TOOLS: Mapping[str, Callable[[Written], Tool]] = {
    "code_interpreter": _code,
    "apply_patch": _patch,
    "image_generation": _image,
    "local_shell": lambda value: LocalShell(
        value["id"], tuple(value["command"]), _rest(value, "id", "command")
    ),
    "shell": _shell,
    "computer": lambda value: ComputerUse(value["id"], tuple(value["actions"])),
    "mcp_call": _mcp_call,
    "mcp_list_tools": lambda value: McpTools(
        value["server"], tuple(value.get("tools", ())), value.get("id", ""), value.get("error", "")
    ),
    "mcp_approval_request": lambda value: McpApproval(
        value["id"], value["server"], value["name"], _arguments(value)
    ),
    "web_search": _web_search,
    "file_search": _file_search,
    "tool_search": lambda value: ToolSearch(
        value.get("input", {}), value.get("id", ""), tuple(value.get("tools", ()))
    ),
    "custom_call": lambda value: CustomCall(value["id"], value["name"], value["input"]),
    "program": lambda value: Program(
        value["id"], value["code"], value.get("fingerprint", ""), value.get("result")
    ),
    "audio": lambda value: Audio(value["data"], value.get("transcript", "")),
    "compaction": lambda value: Compaction(value["encrypted"], value.get("id", "")),
}
"""Makes the value of each step from what is written beside its name."""

STREAMED = ("code_interpreter", "apply_patch", "mcp_call", "custom_call", "audio")
"""The steps with a text that is streamed in deltas, unless they say ``streamed: false``."""


def wrong(step: str, value: Written) -> str:
    """Why the fields of a step contradict each other; empty if they do not."""
    if {"input", "arguments"} <= value.keys():
        return f"{step!r} has an 'input' or 'arguments', not both"
    if step == "apply_patch":
        return _wrong_patch(value)
    if step == "shell" and "outputs" in value and "container" not in value:
        return "the host runs these commands, so their 'outputs' are not the upstream's"
    if step == "web_search" and len({"query", "open", "find"} & value.keys()) != 1:
        return "a search of the web has a 'query', a page to 'open', or text to 'find' in it"
    return ""


def _wrong_patch(value: Written) -> str:
    if len(set(_OPERATIONS) & value.keys()) != 1:
        return "a patch is of one file, which it creates, updates or deletes"
    if "delete" in value and "diff" in value:
        return "a file that is deleted has no 'diff'"
    return "" if "delete" in value or "diff" in value else "a patch has a 'diff'"
