"""The tools that a run offers: those that the scenario's model makes use of.

An agent that is called for a tool which it was not given takes that for the model's mistake, so
each has to be there. A function and a custom tool have the name by which they are called. A tool of
the upstream's own has its type for a name, and as ``options`` what a request for it has to say, in
the terms of OpenAI's Responses API. An ``input_schema`` stands in all of them, so that an adapter
which knows nothing but functions may take each for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mockserver.scenario.model import ExpectCall, Send, Start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.model import Scenario, Turn

Tool = dict[str, Any]

# By the type of the item with which a model uses it, the type of a tool that the upstream has.
_HOSTED = {
    "apply_patch_call": "apply_patch",
    "code_interpreter_call": "code_interpreter",
    "computer_call": "computer",
    "file_search_call": "file_search",
    "image_generation_call": "image_generation",
    "local_shell_call": "local_shell",
    "mcp_approval_request": "mcp",
    "mcp_call": "mcp",
    "mcp_list_tools": "mcp",
    "shell_call": "shell",
    "web_search_call": "web_search",
}
# The parts of the AI SDK that begin or make a call.
_PARTS = frozenset(
    {"tool-input-start", "tool-call", "tool-call-streaming-start", "tool-input-available"}
)
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "code_interpreter": {"container": {"type": "auto"}},
    "file_search": {"vector_store_ids": ["vs_1"]},
    "mcp": {"server_url": "https://mcp.example"},
}


def tools_of(scenario: Scenario) -> list[Tool]:
    """What the host offers: the tools that it names, else those of all turns, as first used."""
    if offered := scenario.host.tools:
        plain = {"description": "", "input_schema": {"type": "object"}}
        return [{**plain, **tool} for tool in offered]
    found: dict[str, Tool] = {}
    for turn in scenario.turns:
        for attempt in turn.attempts:
            for tool in (*_used(attempt), *_expected(attempt)):
                found.setdefault(tool["name"], tool)
    return list(found.values())


def type_of(tool: Tool) -> str:
    return str(tool.get("type", "function"))


def _used(turn: Turn) -> Iterator[Tool]:
    for step in turn.script.steps:
        match step:
            case Start(kind="call", name=name):
                yield _called(name)
            case Send(fields={"item": Mapping() as item}):
                yield from _of_item(item)
            case Send(type=type_, fields={"toolName": str(name)} as call):
                # One that the upstream has and the request did not name is called dynamic.
                if type_ in _PARTS and name and not call.get("dynamic"):
                    yield _called(name)


def _of_item(item: Mapping[str, Any]) -> Iterator[Tool]:
    """What an item is a use of; one without a type goes on with a call that is known already."""
    type_, name = item.get("type", "function_call"), item.get("name")
    if hosted := _HOSTED.get(type_):
        yield _of_upstream(hosted, item)
    elif isinstance(name, str) and name and type_ == "function_call":
        yield _called(name)
    elif isinstance(name, str) and name and type_ == "custom_tool_call":
        yield {"type": "custom", **_called(name)}


def _of_upstream(type_: str, item: Mapping[str, Any]) -> Tool:
    label = item.get("server_label") if type_ == "mcp" else None
    options = {**_OPTIONS.get(type_, {}), **({"server_label": label} if label else {})}
    return {"type": type_, **_called(str(label or type_)), "options": options}


def _called(name: str) -> Tool:
    return {"name": name, "description": f"Does {name}.", "input_schema": {"type": "object"}}


def _expected(turn: Turn) -> Iterator[Tool]:
    """The tools of calls that no step makes: those of a plain answer."""
    parts = (part for expect in turn.expect for part in expect.parts)
    return (_expects(part) for part in parts if isinstance(part, ExpectCall) and part.name)


def _expects(part: ExpectCall) -> Tool:
    """A call whose input is a text is one of a custom tool."""
    called = _called(part.name)
    return {"type": "custom", **called} if part.raw else called
