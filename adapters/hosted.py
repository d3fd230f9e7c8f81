"""Parts for the items of hosted tools on which the host has to act, made from finished items.

These are calls of tools that the host runs, and approvals of remote calls with what became of them.
A part has its item where the item has to go back upstream (``conversation``).
"""

import json

HOSTED = {
    "apply_patch_call": ("apply_patch", ["operation"]),
    "computer_call": ("computer", ["action", "actions", "pending_safety_checks"]),
    "custom_tool_call": ("", ["input"]),
    "local_shell_call": ("local_shell", ["action"]),
    "shell_call": ("shell", ["action"]),
}
"""The items that are calls of tools that the host runs: the tool's name, and what it is to do."""


def hosted_parts(item):
    """The parts for an item as a dict; none if the host has nothing to do with it."""
    type_, id_ = item["type"], item.get("id")
    if type_ in HOSTED:
        yield from _call(item)
    elif type_ == "mcp_approval_request":
        made = {"toolCallId": id_, "toolName": item["name"], "input": item["arguments"]}
        yield {"type": "tool-call", **made, "providerExecuted": True, "dynamic": True}
        asked = {"approvalId": id_, "toolCallId": id_}
        yield {"type": "tool-approval-request", **asked, "item": item}
    elif type_ == "mcp_call" and (shown := item.get("approval_request_id")):
        result = {"output": item.get("output"), "error": item.get("error")}
        named = {"toolCallId": shown, "toolName": item["name"]}
        yield {"type": "tool-result", **named, "result": result, "dynamic": True}


def _call(item):
    """The call of a tool that the host runs and that is no function."""
    environment = item.get("environment") or {}
    if item.get("status") in ("incomplete", "in_progress"):
        return  # cut off
    if environment.get("type") == "container_reference":
        return  # run by the upstream
    if not item.get("call_id"):
        return  # nobody can answer it
    name, fields = HOSTED[item["type"]]
    is_text = item["type"] == "custom_tool_call"
    asked = {field: item[field] for field in fields if item.get(field) is not None}
    named = {"toolCallId": item["call_id"], "toolName": name or item["name"]}
    if is_text:
        start = {"id": item["call_id"], "toolName": item["name"], "inputEncoding": "text"}
        yield {"type": "tool-input-start", **start}
    input_ = json.dumps(item["input"] if is_text else asked)
    yield {"type": "tool-call", **named, "input": input_, "item": item}
