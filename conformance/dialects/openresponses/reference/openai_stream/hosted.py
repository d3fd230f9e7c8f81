"""The tools that the provider executes itself: their calls and their results.

Code streams as its text, and the adapter writes the JSON around it. Its input names the container
`containerId` in the deltas and in the call, as the AI SDK has it. (The sample in makeStreamResponse
Alignment § Code Interpreter Streaming Pattern has `container_id` in the call, so that its deltas do
not join to its input.)
"""

from conformance.dialects.client.fields import Event, Part, object_, objects, string
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    ADDED,
    DONE,
    ENDED,
    OPEN,
    OVER,
    UNSEEN,
    Block,
    Step,
    Table,
    metadata,
)
from conformance.dialects.openresponses.reference.openai_stream.calls import (
    HOSTED,
    call,
    empty_call,
    escape_json_delta,
    hosted_input_start,
    input_delta,
    input_end,
    result,
    to_json,
    without_nulls,
)

CODE_DELTA = "response.code_interpreter_call_code.delta"
CODE_DONE = "response.code_interpreter_call_code.done"
PARTIAL_IMAGE = "response.image_generation_call.partial_image"


def _code_opening(block: Block, _data: Event) -> list[Part]:
    container = to_json({"containerId": string(block.item, "container_id")})
    return input_delta(block, container.removesuffix("}") + ',"code":"')


def _code_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, escape_json_delta(block.text.add(string(data, "delta"))))


def _code_closing(block: Block, data: Event) -> list[Part]:
    rest = escape_json_delta(block.text.complete(string(data, "code")))
    return input_delta(block, rest + '"}')


def _code_call(block: Block, data: Event) -> list[Part]:
    container = string(block.item, "container_id")
    code = string(data, "code") or block.text.text()
    return [call(block, to_json({"containerId": container, "code": code}), **HOSTED)]


def _code_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    return [result(block, {"outputs": item.get("outputs")}, **_failed(item))]


CODE_INTERPRETER: Table = {
    (UNSEEN, ADDED): Step(OPEN, (hosted_input_start, _code_opening)),
    (OPEN, CODE_DELTA): Step(OPEN, (_code_delta,)),
    (OPEN, CODE_DONE): Step(ENDED, (_code_closing, input_end, _code_call)),
    (ENDED, DONE): Step(OVER, (_code_result,)),
}


def _preview(block: Block, data: Event) -> list[Part]:
    """A partial image, which the next result replaces."""
    image = {"result": string(data, "partial_image_b64")}
    return [result(block, image, preliminary=True)]


def _image(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    return [result(block, {"result": item.get("result")}, **_failed(item))]


IMAGE_GENERATION: Table = {
    (UNSEEN, ADDED): Step(OPEN, (empty_call,)),
    (OPEN, PARTIAL_IMAGE): Step(OPEN, (_preview,)),
    (OPEN, DONE): Step(OVER, (_image,)),
}

_ACTIONS = {"search": "search", "open_page": "openPage", "find_in_page": "findInPage"}


def _web_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    action = object_(item, "action")
    known = {name: action.get(name) for name in ("query", "queries", "url", "pattern")}
    value: dict[str, object] = {}
    if type_ := _ACTIONS.get(string(action, "type")):
        value = {"action": {"type": type_, **without_nulls(known)}}
    value |= without_nulls({"sources": action.get("sources")})
    return [result(block, value, **_failed(item))]


WEB_SEARCH: Table = {
    (UNSEEN, ADDED): Step(OPEN, (hosted_input_start, input_end, empty_call)),
    (OPEN, DONE): Step(OVER, (_web_result,)),
}


def _file_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    found = [
        {
            "attributes": each.get("attributes"),
            "fileId": each.get("file_id"),
            "filename": each.get("filename"),
            "score": each.get("score"),
            "text": each.get("text"),
        }
        for each in objects(item, "results")
    ]
    results = found if isinstance(item.get("results"), list) else None
    return [result(block, {"queries": item.get("queries"), "results": results}, **_failed(item))]


FILE_SEARCH: Table = {
    (UNSEEN, ADDED): Step(OPEN, (empty_call,)),
    (OPEN, DONE): Step(OVER, (_file_result,)),
}


def _tool_search_call(block: Block, data: Event) -> list[Part]:
    input_ = {"arguments": object_(data, "item").get("arguments"), "call_id": None}
    block.response.searches.append(block.id)
    return [call(block, to_json(input_), **HOSTED)]


TOOL_SEARCH: Table = {
    (UNSEEN, ADDED): Step(OPEN, (hosted_input_start,)),
    (OPEN, DONE): Step(OVER, (input_end, _tool_search_call)),
}
"""A search among the tools that were offered, by the provider."""


def _tool_search_result(block: Block, data: Event) -> list[Part]:
    """The tools that were found by the earliest search without a result."""
    item = object_(data, "item")
    if searches := block.response.searches:
        block.id = searches.pop(0)
    block.id = string(item, "call_id") or block.id
    return [result(block, {"tools": item.get("tools")})]


TOOL_SEARCH_OUTPUT: Table = {(UNSEEN, DONE): Step(OVER, (_tool_search_result,))}


def _shell_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    outputs = [
        {
            "stdout": each.get("stdout"),
            "stderr": each.get("stderr"),
            "outcome": _outcome(object_(each, "outcome")),
        }
        for each in objects(item, "output")
    ]
    length = without_nulls({"maxOutputLength": item.get("max_output_length")})
    return [result(block, {**length, "output": outputs})]


def _outcome(outcome: Event) -> dict[str, object]:
    exited = {"exitCode": outcome.get("exit_code")} if outcome.get("type") == "exit" else {}
    return {"type": outcome.get("type"), **exited}


SHELL_OUTPUT: Table = {(UNSEEN, DONE): Step(OVER, (_shell_result,))}


def _program_call(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    input_ = {"code": item.get("code"), "fingerprint": item.get("fingerprint")}
    return [call(block, to_json(input_), **HOSTED)]


PROGRAM: Table = {(UNSEEN, DONE): Step(OVER, (_program_call,))}
"""A program that calls tools. Its result may come in a later response."""


def _program_result(block: Block, data: Event) -> list[Part]:
    item = object_(data, "item")
    value = {"result": item.get("result"), "status": item.get("status")}
    return [result(block, value, **_failed(item))]


PROGRAM_OUTPUT: Table = {(UNSEEN, DONE): Step(OVER, (_program_result,))}


def _compaction(block: Block, data: Event) -> list[Part]:
    """The compacted conversation, for the host to send back; it is not shown."""
    encrypted = object_(data, "item").get("encrypted_content")
    about = metadata(type="compaction", itemId=block.item_id, encryptedContent=encrypted)
    return [{"type": "custom", "kind": "openai.compaction", **about}]


COMPACTION: Table = {(UNSEEN, DONE): Step(OVER, (_compaction,))}


def _failed(item: Event) -> dict[str, object]:
    """The flag of a result if the tool failed."""
    return {"isError": True} if string(item, "status") in ("failed", "incomplete") else {}


# The tools of MCP servers, and the approvals that they need.
#
# The tools have names that were not known before, so their parts are dynamic. An approval that is
# asked for is about a call with an id of its own, since the item of the call does not exist yet.
# The item comes later, in this response or in a later one, and is emitted under the same id.

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
