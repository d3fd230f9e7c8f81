"""The calls of tools of MCP servers, which the provider executes, and the approvals they need.

The tools have names that were not known before, so their parts are dynamic. An approval that is
asked for is about a call with an id of its own, since the item of the call does not exist yet. The
item comes later, in this response or in a later one, and is emitted under the same id.
"""

from __future__ import annotations

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.openai_stream.block import (
    DONE,
    OVER,
    UNSEEN,
    Block,
    Step,
    Table,
    metadata,
)
from conformance.dialects.openresponses.reference.openai_stream.tools import HOSTED, without_nulls

DYNAMIC = {**HOSTED, "dynamic": True}


def _mcp_name(item: Event) -> str:
    return f"mcp.{string(item, 'name')}"


def _mcp_call(block: Block, data: Event) -> list[Part]:
    """The call of an MCP server's tool, under the id under which its approval was asked for.

    A call that was made in this response, to ask for its approval, is not made again.
    """
    item, response = object_(data, "item"), block.response
    block.id = response.call_of_approval.get(string(item, "approval_request_id"), block.id)
    if block.id in response.asked:
        return []
    known = {"toolCallId": block.id, "toolName": _mcp_name(item)}
    return [{"type": "tool-call", **known, "input": _arguments(item), **DYNAMIC}]


def _mcp_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    value = {
        "type": "call",
        "serverLabel": item.get("server_label"),
        "name": item.get("name"),
        "arguments": item.get("arguments"),
        **without_nulls({"output": item.get("output"), "error": item.get("error")}),
    }
    known = {"toolCallId": block.id, "toolName": _mcp_name(item), "result": value}
    return [{"type": "tool-result", **known, **metadata(itemId=block.item_id)}]


def _arguments(item: Event) -> str:
    return string(item, "arguments") or "{}"


MCP: Table = {(UNSEEN, DONE): Step(OVER, (_mcp_call, _mcp_result))}


def _approval_request(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    approval = string(item, "approval_request_id") or string(item, "id")
    call_id = f"call_{approval}"
    block.response.call_of_approval[approval] = call_id
    block.response.asked.add(call_id)
    known = {"toolCallId": call_id, "toolName": _mcp_name(item), "input": _arguments(item)}
    # The request goes back with the answer, so its server is kept.
    about = metadata(itemId=block.item_id, serverLabel=item.get("server_label"))
    return [
        {"type": "tool-call", **known, **DYNAMIC, **about},
        {"type": "tool-approval-request", "approvalId": approval, "toolCallId": call_id},
    ]


MCP_APPROVAL: Table = {(UNSEEN, DONE): Step(OVER, (_approval_request,))}
