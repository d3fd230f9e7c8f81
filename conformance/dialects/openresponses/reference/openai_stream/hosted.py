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
    Maker,
    Step,
    Tables,
    begun_and_done,
    metadata,
    once,
)
from conformance.dialects.openresponses.reference.openai_stream.calls import (
    HOSTED,
    call,
    empty_call,
    escape_json_delta,
    fields_of,
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


def _failed(item: Event) -> dict[str, object]:
    """The flag of a result if the tool failed."""
    return {"isError": True} if string(item, "status") in ("failed", "incomplete") else {}


def _result_of(*names: str) -> Maker:
    """Creates the result of a call, which has these fields of its item."""

    def make(block: Block, item: Event) -> list[Part]:
        return [result(block, fields_of(item, *names), **_failed(item))]

    return make


def _code_opening(block: Block, _item: Event) -> list[Part]:
    container = to_json({"containerId": string(block.item, "container_id")})
    return input_delta(block, container.removesuffix("}") + ',"code":"')


def _code_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, escape_json_delta(block.text.add(string(data, "delta"))))


def _code_closing(block: Block, data: Event) -> list[Part]:
    rest = escape_json_delta(block.text.complete(string(data, "code")))
    return input_delta(block, rest + '"}')


def _code_call(block: Block, data: Event) -> list[Part]:
    container = string(block.item, "container_id")
    known = {"containerId": container, "code": string(data, "code")}
    return [call(block, to_json(known), **HOSTED)]


def _preview(block: Block, data: Event) -> list[Part]:
    """A partial image, which the next result replaces."""
    image = {"result": string(data, "partial_image_b64")}
    return [result(block, image, preliminary=True)]


def _web_result(block: Block, item: Event) -> list[Part]:
    known = fields_of(object_(item, "action"), "query", "url", "pattern", "sources")
    return [result(block, {"action": without_nulls(known)}, **_failed(item))]


_FOUND = ("attributes", "file_id", "filename", "score", "text")


def _file_result(block: Block, item: Event) -> list[Part]:
    found = [fields_of(each, *_FOUND) for each in objects(item, "results")]
    results = found if isinstance(item.get("results"), list) else None
    return [result(block, {"queries": item.get("queries"), "results": results}, **_failed(item))]


def _tool_search_call(block: Block, item: Event) -> list[Part]:
    """A search among the tools that were offered, by the provider."""
    block.response.searches.append(block.id)
    return [call(block, to_json(fields_of(item, "arguments")), **HOSTED)]


def _tool_search_result(block: Block, item: Event) -> list[Part]:
    """The tools that were found by the earliest search without a result."""
    block.id = block.response.searches.pop(0)
    return [result(block, fields_of(item, "tools"))]


def _shell_result(block: Block, item: Event) -> list[Part]:
    return [result(block, {"output": [_printed(each) for each in objects(item, "output")]})]


def _printed(output: Event) -> dict[str, object]:
    outcome = fields_of(object_(output, "outcome"), "type", "exit_code")
    return {**fields_of(output, "stdout", "stderr"), "outcome": without_nulls(outcome)}


def _program_call(block: Block, item: Event) -> list[Part]:
    """A program that calls tools. Its result may come in a later response."""
    return [call(block, to_json(fields_of(item, "code")), **HOSTED)]


def _compaction(_block: Block, item: Event) -> list[Part]:
    """The compacted conversation, for the host to send back; it is not shown."""
    about = metadata(encryptedContent=item.get("encrypted_content"))
    return [{"type": "custom", "kind": "openai.compaction", **about}]


# The tools of MCP servers, and the approvals that they need.
#
# The tools have names that were not known before, so their parts are dynamic. An approval that is
# asked for is about a call with an id of its own, since the item of the call does not exist yet.
# The item comes later, in this response or in a later one, and is emitted under the same id.

DYNAMIC = {**HOSTED, "dynamic": True}


def _mcp_name(item: Event) -> str:
    return f"mcp.{string(item, 'name')}"


def _mcp_call(block: Block, item: Event) -> list[Part]:
    """The call of an MCP server's tool, under the id under which its approval was asked for.

    A call that was made in this response, to ask for its approval, is not made again.
    """
    response = block.response
    block.id = response.call_of_approval.get(string(item, "approval_request_id"), block.id)
    if block.id in response.asked:
        return []
    known = {"toolCallId": block.id, "toolName": _mcp_name(item)}
    return [{"type": "tool-call", **known, "input": string(item, "arguments"), **DYNAMIC}]


def _mcp_result(block: Block, item: Event) -> list[Part]:
    value = without_nulls(fields_of(item, "output", "error"))
    known = {"toolCallId": block.id, "toolName": _mcp_name(item), "result": value}
    return [{"type": "tool-result", **known}]


def _approval_request(block: Block, item: Event) -> list[Part]:
    approval = string(item, "id")
    call_id = f"call_{approval}"
    block.response.call_of_approval[approval] = call_id
    block.response.asked.add(call_id)
    known = {"toolCallId": call_id, "toolName": _mcp_name(item), "input": string(item, "arguments")}
    # The request goes back with the answer, so its server is kept.
    about = metadata(itemId=block.item_id, serverLabel=item.get("server_label"))
    return [
        {"type": "tool-call", **known, **DYNAMIC, **about},
        {"type": "tool-approval-request", "approvalId": approval, "toolCallId": call_id},
    ]


TABLES: Tables = {
    "code_interpreter_call": {
        (UNSEEN, ADDED): Step(OPEN, (hosted_input_start, _code_opening)),
        (OPEN, CODE_DELTA): Step(OPEN, (_code_delta,)),
        (OPEN, CODE_DONE): Step(ENDED, (_code_closing, input_end, _code_call)),
        (OPEN, DONE): Step(OVER, (_code_closing, input_end, _code_call, _result_of("outputs"))),
        (ENDED, DONE): Step(OVER, (_result_of("outputs"),)),
    },
    "image_generation_call": {
        **begun_and_done((empty_call,), _result_of("result")),
        (OPEN, PARTIAL_IMAGE): Step(OPEN, (_preview,)),
    },
    "web_search_call": begun_and_done((hosted_input_start, input_end, empty_call), _web_result),
    "file_search_call": begun_and_done((empty_call,), _file_result),
    "tool_search_call": begun_and_done((hosted_input_start,), input_end, _tool_search_call),
    "tool_search_output": once(_tool_search_result),
    "shell_call_output": once(_shell_result),
    "program": once(_program_call),
    "program_output": once(_result_of("result")),
    "compaction": once(_compaction),
    "mcp_call": once(_mcp_call, _mcp_result),
    "mcp_approval_request": once(_approval_request),
}
