"""The event and item types of OpenAI's Responses API that OpenResponses does not have.

Each event type has the type of its item and the step that it is in the lifecycle of that item.
Source: the members of ``ResponseStreamEvent`` and ``ResponseOutputItem`` in the package ``openai``;
the events of a patch's diff, which that package lacks, are in recordings of api.openai.com.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.foundation.json_fields import mapping


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """An event type of OpenAI: the type of its item, and its step in the item's lifecycle.

    An event of audio belongs to no item; its ``item`` is empty.
    """

    item: str
    step: str


@dataclass(frozen=True, slots=True)
class StreamedText:
    """A text of an item that is streamed by deltas.

    ``path`` is where it is in the item, ``complete`` the field of the ``done`` event that has all
    of it.
    """

    item: str
    path: tuple[str, ...]
    complete: str


STREAMED: Mapping[str, StreamedText] = {
    "response.apply_patch_call_operation_diff": StreamedText(
        "apply_patch_call", ("operation", "diff"), "diff"
    ),
    "response.code_interpreter_call_code": StreamedText("code_interpreter_call", ("code",), "code"),
    "response.custom_tool_call_input": StreamedText("custom_tool_call", ("input",), "input"),
    "response.mcp_call_arguments": StreamedText("mcp_call", ("arguments",), "arguments"),
}
"""The texts that are streamed in the same way, by the stem of their events."""

STATUS_STEPS: Mapping[str, tuple[str, ...]] = {
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "compaction": ("compacting",),
    "file_search_call": ("in_progress", "searching", "completed"),
    "image_generation_call": ("in_progress", "generating", "completed"),
    "mcp_call": ("in_progress", "completed", "failed"),
    "mcp_list_tools": ("in_progress", "completed", "failed"),
    "web_search_call": ("in_progress", "searching", "completed"),
}
"""The events that only report the progress of an item, by the type of the item."""

_AUDIO = (
    "response.audio.delta",
    "response.audio.done",
    "response.audio.transcript.delta",
    "response.audio.transcript.done",
)

EVENTS: Mapping[str, OwnEvent] = {
    **{
        f"response.{item}.{step}": OwnEvent(item, step)
        for item, steps in STATUS_STEPS.items()
        for step in steps
    },
    **{f"{stem}.delta": OwnEvent(text.item, "delta") for stem, text in STREAMED.items()},
    **{f"{stem}.done": OwnEvent(text.item, "complete") for stem, text in STREAMED.items()},
    "response.image_generation_call.partial_image": OwnEvent("image_generation_call", "partial"),
    "response.shell_call_command.added": OwnEvent("shell_call", "added"),
    "response.shell_call_command.delta": OwnEvent("shell_call", "delta"),
    "response.shell_call_command.done": OwnEvent("shell_call", "complete"),
    "response.shell_call_output_content.delta": OwnEvent("shell_call_output", "delta"),
    "response.shell_call_output_content.done": OwnEvent("shell_call_output", "complete"),
    **{type_: OwnEvent("", type_.rpartition(".")[2]) for type_ in _AUDIO},
}
"""The event types of OpenAI that have no other name in OpenResponses."""


@dataclass(frozen=True, slots=True)
class OwnItem:
    """A type of item that OpenAI alone has: the prefix of its ids, and which fields it has when.

    ``has`` are fields that every item of the type has; ``at_end`` are fields that it has at the
    latest when it is done. An item has a generated ``call_id`` or ``container_id`` if these are
    among ``ids``; ``answers`` is the type of the items whose ``call_id`` it repeats.
    """

    prefix: str
    has: Mapping[str, Any]
    ids: tuple[str, ...] = ()
    answers: str = ""
    at_end: Mapping[str, Any] = field(default_factory=dict)


_OPEN = {"status": "in_progress"}
_COMPLETED = {"status": "completed"}
_CALL_ID = ("call_id",)

ITEMS: Mapping[str, OwnItem] = {
    "additional_tools": OwnItem("at", {"role": "developer", "tools": []}),
    "apply_patch_call": OwnItem(
        "apc", {**_OPEN, "operation": {"type": "update_file", "path": "", "diff": ""}}, _CALL_ID
    ),
    "apply_patch_call_output": OwnItem(
        "apco", {**_COMPLETED, "output": ""}, answers="apply_patch_call"
    ),
    "code_interpreter_call": OwnItem("ci", {**_OPEN, "code": "", "outputs": []}, ("container_id",)),
    "computer_call": OwnItem("cu", {**_OPEN, "pending_safety_checks": []}, _CALL_ID),
    "computer_call_output": OwnItem(
        "cuo", {**_OPEN, "output": {"type": "computer_screenshot"}}, answers="computer_call"
    ),
    "custom_tool_call": OwnItem("ctc", {**_OPEN, "name": "", "input": ""}, _CALL_ID),
    "custom_tool_call_output": OwnItem("ctco", {**_OPEN, "output": ""}, answers="custom_tool_call"),
    "file_search_call": OwnItem("fs", {**_OPEN, "queries": [], "results": None}),
    "image_generation_call": OwnItem("ig", _OPEN, at_end={"result": None}),
    "local_shell_call": OwnItem(
        "lsh", {**_OPEN, "action": {"type": "exec", "command": [], "env": {}}}, _CALL_ID
    ),
    "local_shell_call_output": OwnItem("lsho", {**_OPEN, "output": ""}),
    "mcp_approval_request": OwnItem("mcpr", {"server_label": "", "name": "", "arguments": ""}),
    "mcp_approval_response": OwnItem(
        "mcpa", {"approval_request_id": "", "approve": True, "reason": None}
    ),
    "mcp_call": OwnItem(
        "mcp",
        {
            **_OPEN,
            "server_label": "",
            "name": "",
            "arguments": "",
            "approval_request_id": None,
            "error": None,
            "output": None,
        },
    ),
    "mcp_list_tools": OwnItem("mcpl", {"server_label": "", "tools": []}),
    "program": OwnItem("cm", {"code": "", "fingerprint": ""}, _CALL_ID),
    "program_output": OwnItem("cmo", {**_COMPLETED, "result": ""}, answers="program"),
    "shell_call": OwnItem(
        "sh",
        {
            **_OPEN,
            "action": {"commands": [], "max_output_length": None, "timeout_ms": None},
            "environment": None,
        },
        _CALL_ID,
    ),
    "shell_call_output": OwnItem(
        "sho", {**_COMPLETED, "max_output_length": None, "output": []}, answers="shell_call"
    ),
    "tool_search_call": OwnItem(
        "tsc", {**_OPEN, "call_id": None, "execution": "server", "arguments": {}}
    ),
    "tool_search_output": OwnItem(
        "tso", {**_OPEN, "call_id": None, "execution": "server", "tools": []}
    ),
    "web_search_call": OwnItem("ws", _OPEN, at_end={"action": {"type": "search"}}),
}
"""The item types of OpenAI that OpenResponses does not have."""

NAMED_OTHERWISE = frozenset({"response.reasoning_text.delta", "response.reasoning_text.done"})
"""The event types of OpenAI that have another name in OpenResponses."""


_PREFIX = "openai:"


def own_event(type_: str) -> OwnEvent | None:
    """The event type of OpenAI with this name, with or without a vendor's prefix; None if none."""
    return EVENTS.get(unprefixed(type_, "response."))


def unprefixed(type_: str, in_place: str = "") -> str:
    """A type of OpenAI's without its vendor's prefix, ``in_place`` of which comes another one."""
    is_prefixed = type_.startswith(_PREFIX)
    return in_place + type_.removeprefix(_PREFIX) if is_prefixed else type_


def fields_of_new(type_: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a new item of OpenAI's, apart from its ids; ``given`` are those that are set.

    The deletion of a file has no diff.
    """
    has = dict(ITEMS[type_].has)
    operation = mapping(given.get("operation"))
    if type_ == "apply_patch_call" and operation.get("type") == "delete_file":
        has["operation"] = {"type": "delete_file", "path": ""}
    return has
