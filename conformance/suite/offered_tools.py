"""The tools that a run offers: those that the scenario's model uses.

An agent treats a call of a tool that was not offered as the model's mistake, so every tool used has
to be offered. A function and a custom tool have the name by which they are called. A tool that the
upstream runs itself has its type as its name, and in ``options`` the fields that a request for it
needs, in the terms of OpenAI's Responses API. Every tool has an ``input_schema``, so that an
adapter that only supports functions may treat each as one.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.dialects import KIT
from conformance.dialects.dialect import Tool
from mockserver.dialects import DIALECTS
from mockserver.scenario.expected import ExpectCall
from mockserver.scenario.host import tool_name
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import Hosted, Says, Send, Start
from mockserver.wire.event import Event


def tools_of(scenario: Scenario) -> list[Tool]:
    """The tools that the host offers: those that it names, else those that any turn uses."""
    if offered := scenario.host.tools:
        return [_offered(tool) for tool in offered]
    found: dict[str, Tool] = {}
    for turn in scenario.turns:
        for attempt in turn.attempts:
            for tool in (*_tools_used(attempt, scenario.dialects), *_tools_expected(attempt)):
                found.setdefault(tool["name"], tool)
    return list(found.values())


_PLAIN: Tool = {"description": "", "input_schema": {"type": "object"}}


def _offered(tool: Mapping[str, Any]) -> Tool:
    """A tool of a scenario's host in the format of drive/1."""
    if type_of(tool) == "function":
        return {**_PLAIN, **tool}
    type_ = tool["type"]
    known = {"description": str(tool.get("description", ""))}
    options = {name: value for name, value in tool.items() if name not in ("type", "name")}
    if type_ == "custom":
        options.pop("description", None)
    return {"type": type_, "name": tool_name(tool), **_PLAIN, **known, "options": options}


def type_of(tool: Mapping[str, Any]) -> str:
    """The type of a tool; a function if none is given."""
    return str(tool.get("type", "function"))


def _tools_used(turn: Turn, dialects: Iterable[str]) -> Iterator[Tool]:
    for step in turn.script.steps:
        if isinstance(step, Start) and step.kind == "call":
            yield _function(step.name)
        elif isinstance(step, Send):
            yield from _tools_of_event(step, dialects)
    if isinstance(turn.script, Says) and any(isinstance(s, Hosted) for s in turn.script.steps):
        for dialect in dialects:
            for event in DIALECTS[dialect].steps(turn.script, 0):
                if isinstance(event, Event):
                    yield from _tools_of_event(Send(event.type, event.data), [dialect])


def _tools_of_event(event: Send, dialects: Iterable[str]) -> Iterator[Tool]:
    for dialect in dialects:
        yield from ({**tool, **_function(tool["name"])} for tool in KIT[dialect].tools(event))


def _function(name: str) -> Tool:
    return {"name": name, "description": f"Does {name}.", "input_schema": {"type": "object"}}


def _tools_expected(turn: Turn) -> Iterator[Tool]:
    """The tools of expected calls; a plain HTTP answer has its calls in no step of the script."""
    for part in (part for expect in turn.expect for part in expect.parts):
        if isinstance(part, ExpectCall) and part.name:
            # Only a custom tool is called with text.
            yield {**({"type": "custom"} if part.raw else {}), **_function(part.name)}
