"""The tools that a run offers: those that the scenario's model makes use of.

An agent that is called for a tool which it was not given takes that for the model's mistake, so
each has to be there. A function and a custom tool have the name by which they are called. A tool of
the upstream's own has its type for a name, and as ``options`` what a request for it has to say, in
the terms of OpenAI's Responses API. An ``input_schema`` stands in all of them, so that an adapter
which knows nothing but functions may take each for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import KIT
from mockserver.scenario.model import ExpectCall, Send, Start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.dialects.dialect import Tool
    from mockserver.scenario.model import Scenario, Turn


def tools_of(scenario: Scenario) -> list[Tool]:
    """What the host offers: the tools that it names, else those of all turns, as first used."""
    if offered := scenario.host.tools:
        plain = {"description": "", "input_schema": {"type": "object"}}
        return [{**plain, **tool} for tool in offered]
    found: dict[str, Tool] = {}
    for turn in scenario.turns:
        for attempt in turn.attempts:
            for tool in (*_used(attempt, scenario.dialects), *_expected(attempt)):
                found.setdefault(tool["name"], tool)
    return list(found.values())


def type_of(tool: Tool) -> str:
    return str(tool.get("type", "function"))


def _used(turn: Turn, dialects: Iterable[str]) -> Iterator[Tool]:
    for step in turn.script.steps:
        if isinstance(step, Start) and step.kind == "call":
            yield _called(step.name)
        elif isinstance(step, Send):
            for dialect in dialects:
                yield from ({**tool, **_called(tool["name"])} for tool in KIT[dialect].tools(step))


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
