"""The lifecycles of a response, an item, a part and a call, as state machines in tables.

Source: OpenResponses, "Items" and its streaming diagram, which shows one item at a time. Here each
item and each part has a machine of its own, because nothing forbids that they interleave.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.dialects.state_machine import Machine

RESPONSE: Machine = {
    "": {"created": "created"},
    "created": {"queued": "queued", "in_progress": "working"},
    # queued may also replace in_progress
    "queued": {"in_progress": "working", "work": "working", "end": "over"},
    "working": {"work": "working", "end": "over"},
    "over": {},
}

ITEM: Machine = {"": {"added": "open"}, "open": {"child": "open", "done": "closed"}, "closed": {}}

# An empty part may close at once; after a delta its full text must be sent.
PART: Machine = {
    "": {"added": "open"},
    "open": {"delta": "growing", "complete": "complete", "closed": "closed"},
    "growing": {"delta": "growing", "complete": "complete"},
    "complete": {"closed": "closed"},
    "closed": {},
}

# Deltas of arguments are optional.
CALL: Machine = {
    "": {"delta": "growing", "complete": "complete"},
    "growing": {"delta": "growing", "complete": "complete"},
    "complete": {},
}


def _ordered(*stages: str) -> Machine:
    """A machine for steps that come in this order, each of which may be left out.

    Alternatives of a stage are separated by ``|``; a stage with a ``*`` may be repeated.
    """
    allowed: dict[str, str] = {}
    machine: dict[str, dict[str, str]] = {}
    for stage in reversed(stages):
        name = stage.removesuffix("*")
        again = dict.fromkeys(name.split("|"), name) if stage.endswith("*") else {}
        machine[name] = {**allowed, **again}
        allowed |= dict.fromkeys(name.split("|"), name)
    return {"": allowed, **machine}


_COMMAND: Machine = {
    "": {"added": "open"},
    "open": {"delta": "open", "complete": "complete"},
    "complete": {},
}

# Progress is optional and in order; a call of MCP was seen to report twice that it is in progress.
HOSTED: Mapping[str, Machine] = {
    "apply_patch_call": CALL,
    "code_interpreter_call": _ordered(
        "in_progress*", "delta*", "complete", "interpreting", "completed"
    ),
    "compaction": _ordered("compacting"),
    "custom_tool_call": CALL,
    "file_search_call": _ordered("in_progress*", "searching*", "completed"),
    "image_generation_call": _ordered("in_progress*", "generating|partial*", "completed"),
    "mcp_call": _ordered("in_progress|delta*", "in_progress|complete*", "completed|failed"),
    "mcp_list_tools": _ordered("in_progress*", "completed|failed"),
    "shell_call": _COMMAND,
    "shell_call_output": CALL,
    "web_search_call": _ordered("in_progress*", "searching*", "completed"),
}
"""The lifecycles of the items of OpenAI's tools between their beginning and their end.

The items of a shell have a lifecycle of their own for each command.
"""


@dataclass(frozen=True, slots=True)
class Role:
    """What an event does to its part.

    ``where`` is the list of the item that holds the part (``content`` or ``summary``), ``index``
    the field with the part's index, and ``step`` the step of the machine ``PART``.
    """

    where: str
    index: str
    step: str
    # The field of the event that holds text, and the part types that may have such text
    text: str = ""
    parts: frozenset[str] = frozenset()


def _streamed(name: str, where: str, text: str, *parts: str) -> dict[str, Role]:
    index, kinds = f"{where}_index", frozenset(parts)
    return {
        f"{name}.delta": Role(where, index, "delta", "delta", kinds),
        f"{name}.done": Role(where, index, "complete", text, kinds),
    }


ROLES: dict[str, Role] = {
    "response.content_part.added": Role("content", "content_index", "added"),
    "response.content_part.done": Role("content", "content_index", "closed"),
    "response.output_text.annotation.added": Role("content", "content_index", "cited"),
    "response.reasoning_summary_part.added": Role("summary", "summary_index", "added"),
    "response.reasoning_summary_part.done": Role("summary", "summary_index", "closed"),
    **_streamed("response.output_text", "content", "text", "output_text", "text"),
    **_streamed("response.refusal", "content", "refusal", "refusal"),
    **_streamed("response.reasoning", "content", "text", "reasoning_text", "text"),
    **_streamed("response.reasoning_text", "content", "text", "reasoning_text", "text"),
    **_streamed("response.reasoning_summary_text", "summary", "text", "summary_text"),
    **_streamed("response.reasoning_summary", "summary", "text", "summary_text"),
}
"""The events that begin, extend and end parts, by type."""
