"""A client of the Responses API that offers hosted tools, and adapters that spoil its requests."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.dialects.client.fields import options
from conformance.dialects.client.machine import Machine
from conformance.dialects.client.transport import Adapter, Upstream

Json = dict[str, Any]

CALLS = {
    "apply_patch_call": ("apply_patch", "operation"),
    "shell_call": ("shell", "action"),
    "local_shell_call": ("local_shell", "action"),
    "computer_call": ("computer", "actions"),
    "custom_tool_call": ("", "input"),
}
"""The items that are calls of hosted tools: the tool's name, and the field that says what to do."""


class HostedParts(Machine):
    """Turns the events of a response into parts of the vocabulary ``stream``."""

    made_calls = False

    @property
    def ended(self) -> bool:
        return bool(self.finish)

    def event(self, data: Any) -> list[Any]:
        item = data.get("item") or {}
        match data["type"]:
            case "response.output_text.delta":
                return [{"type": "text-delta", "id": "0", "delta": data["delta"]}]
            case "response.output_item.done" if item["type"] in CALLS and not _runs_upstream(item):
                self.made_calls = True
                return list(_call(item))
            case "response.output_item.done" if item["type"] == "mcp_approval_request":
                return list(_approval(item))
            case "response.output_item.done" if item["type"] == "mcp_call":
                return list(_approved(item))
            case "response.completed":
                self.finish = "tool-calls" if self.made_calls else "stop"
        return []


class AsksNobody(HostedParts):
    """Emits the calls that wait for approval, and no approval request."""

    def event(self, data: Any) -> list[Any]:
        return [p for p in super().event(data) if p["type"] != "tool-approval-request"]


def _runs_upstream(item: Json) -> bool:
    return str((item.get("environment") or {}).get("type")).startswith("container")


def _call(item: Json) -> Iterator[Json]:
    name, field = CALLS[item["type"]]
    name, id_ = name or item["name"], item["call_id"]
    text = item["type"] == "custom_tool_call"
    if text:
        yield {"type": "tool-input-start", "id": id_, "toolName": name, "inputEncoding": "text"}
    input_ = item[field] if text else {field: item[field]}
    made = {"toolCallId": id_, "toolName": name, "input": json.dumps(input_)}
    yield {"type": "tool-call", **made, "item": item}


def _approval(item: Json) -> Iterator[Json]:
    made = {"toolCallId": item["id"], "toolName": item["name"], "input": item["arguments"]}
    yield {"type": "tool-call", **made, "providerExecuted": True}
    asked = {"approvalId": item["id"], "toolCallId": item["id"]}
    yield {"type": "tool-approval-request", **asked, "item": item}


def _approved(item: Json) -> Iterator[Json]:
    made = {"toolCallId": item["approval_request_id"], "toolName": item["name"]}
    yield {"type": "tool-result", **made, "result": item["output"]}


def request(run: Json) -> Json:
    """The request for a run, which sends every item back as it came."""
    input_ = [item for message in run["messages"] for item in _items(message)]
    body = {**options(run), "model": run["model"], "stream": True, "input": input_}
    return {**body, "tools": [_tool(tool) for tool in run["tools"]]}


def _tool(tool: Json) -> Json:
    type_ = tool.get("type", "function")
    if type_ == "function":
        about = {"name": tool["name"], "description": tool["description"]}
        return {"type": type_, **about, "parameters": tool["input_schema"]}
    named = ("name", "description") if type_ == "custom" else ()
    return {"type": type_, **{name: tool[name] for name in named}, **tool["options"]}


def _items(message: Json) -> Iterator[Json]:
    match message["role"]:
        case "assistant":
            yield from (part["item"] for part in message["content"] if "item" in part)
            if said := "".join(part.get("delta", "") for part in message["content"]):
                yield {"role": "assistant", "content": said}
        case "tool":
            yield {**message["output"], "call_id": message["callId"]}
        case "approval":
            names = ("approve", "reason")
            answer: Json = {name: message[name] for name in names if name in message}
            id_ = message["approvalId"]
            yield {"type": "mcp_approval_response", "approval_request_id": id_, **answer}
        case _:
            yield message


@dataclass(frozen=True)
class SpoiltRequest:
    """An adapter whose requests break ``rule`` in one way: ``spoil`` changes the body."""

    rule: str
    spoil: Callable[[Json], None]
    level: str = "must"
    message: str = ""

    @property
    def name(self) -> str:
        return self.spoil.__name__.title().replace("_", "")


def adapter(
    spoil: Callable[[Json], None] = lambda _body: None, machine: type[HostedParts] = HostedParts
) -> Adapter:
    """The client, with changed requests."""

    def spoilt(run: Any, _prefix: str) -> dict[str, object]:
        body = request(copy.deepcopy(run))
        spoil(body)
        return body

    return Adapter(Upstream("hosted", "openresponses", "/responses", spoilt), machine)


def _of(body: Json, type_: str) -> list[Json]:
    return [item for item in body["input"] if item.get("type") == type_]


def _outputs(body: Json) -> list[Json]:
    return [i for i in body["input"] if str(i.get("type")).endswith("call_output")]


def drops_hosted_tools(body: Json) -> None:
    body["tools"] = [tool for tool in body["tools"] if tool["type"] == "function"]


def offers_functions(body: Json) -> None:
    body["tools"] = [
        {"type": "function", "name": tool.get("name", tool["type"]), "parameters": {}}
        for tool in body["tools"]
    ]


def drops_settings(body: Json) -> None:
    kept = ("type", "name", "description", "server_label", "server_url", "parameters")
    body["tools"] = [{k: v for k, v in tool.items() if k in kept} for tool in body["tools"]]


def offers_one_server(body: Json) -> None:
    servers = [tool for tool in body["tools"] if tool["type"] == "mcp"]
    body["tools"] = [tool for tool in body["tools"] if tool not in servers[1:]]


def never_asks_for_approval(body: Json) -> None:
    for tool in body["tools"]:
        if "require_approval" in tool:
            tool["require_approval"] = "never"


def sends_function_outputs(body: Json) -> None:
    for output in _outputs(body):
        said, id_ = output.get("output"), output["call_id"]
        output.clear()
        text = said if isinstance(said, str) else json.dumps(said)
        output |= {"type": "function_call_output", "call_id": id_, "output": text}


def always_succeeds(body: Json) -> None:
    for output in _of(body, "apply_patch_call_output"):
        output["status"] = "completed"


def forgets_exit_codes(body: Json) -> None:
    for output in _of(body, "shell_call_output"):
        for each in output["output"]:
            each["outcome"] = {"type": "exit", "exit_code": 0}


def forgets_safety_checks(body: Json) -> None:
    for output in _of(body, "computer_call_output"):
        del output["acknowledged_safety_checks"]


def escapes_custom_output(body: Json) -> None:
    for output in _of(body, "custom_tool_call_output"):
        output["output"] = json.dumps(output["output"])


def drops_outputs(body: Json) -> None:
    body["input"] = [item for item in body["input"] if item not in _outputs(body)]


def empties_hosted_calls(body: Json) -> None:
    for item in body["input"]:
        if item.get("type") in CALLS:
            item[CALLS[item["type"]][1]] = {}


def sends_hosted_calls_as_functions(body: Json) -> None:
    for item in body["input"]:
        if item.get("type") in CALLS:
            name, field = CALLS[item["type"]]
            made = {"name": name or item["name"], "arguments": json.dumps(item.pop(field))}
            item |= {"type": "function_call", **made}


def leaves_calls_in_progress(body: Json) -> None:
    for item in body["input"]:
        if item.get("type") in CALLS and "status" in item:
            item["status"] = "in_progress"


def drops_descriptions(body: Json) -> None:
    for tool in body["tools"]:
        if tool["type"] == "custom":
            del tool["description"]


def drops_pending_safety_checks(body: Json) -> None:
    for item in _of(body, "computer_call"):
        del item["pending_safety_checks"]


def drops_answers(body: Json) -> None:
    body["input"] = [i for i in body["input"] if i.get("type") != "mcp_approval_response"]


def always_approves(body: Json) -> None:
    for answer in _of(body, "mcp_approval_response"):
        answer["approve"] = True


def answers_with_a_word(body: Json) -> None:
    for answer in _of(body, "mcp_approval_response"):
        answer["approve"] = str(answer["approve"]).lower()


def answers_twice(body: Json) -> None:
    body["input"] += _of(body, "mcp_approval_response")


def answers_another_request(body: Json) -> None:
    for answer in _of(body, "mcp_approval_response"):
        answer["approval_request_id"] += "0"


def swaps_the_answers(body: Json) -> None:
    answers = _of(body, "mcp_approval_response")
    ids = [answer["approval_request_id"] for answer in answers]
    for answer, id_ in zip(answers, reversed(ids), strict=True):
        answer["approval_request_id"] = id_


def drops_reasons(body: Json) -> None:
    for answer in _of(body, "mcp_approval_response"):
        answer.pop("reason", None)


def drops_requests(body: Json) -> None:
    body["input"] = [i for i in body["input"] if i.get("type") != "mcp_approval_request"]


def refers_to_requests(body: Json) -> None:
    for item in _of(body, "mcp_approval_request"):
        id_ = item["id"]
        item.clear()
        item |= {"type": "item_reference", "id": id_}


TOOLS, OUTPUTS, APPROVALS = "turn-hosted-tools", "turn-hosted-outputs", "turn-approvals"
HALF_CALL = "turn-no-half-call"

SPOILT = (
    SpoiltRequest(TOOLS, drops_hosted_tools, message="does not offer"),
    SpoiltRequest(TOOLS, offers_functions, message="but a function"),
    SpoiltRequest(TOOLS, drops_settings, message="is missing"),
    SpoiltRequest(TOOLS, drops_descriptions, message="custom.description"),
    SpoiltRequest(TOOLS, offers_one_server, message="mcp map; it offers mcp zip"),
    SpoiltRequest(TOOLS, never_asks_for_approval, message='went upstream as "never"'),
    SpoiltRequest(OUTPUTS, sends_function_outputs, message="as function_call_output"),
    SpoiltRequest(OUTPUTS, always_succeeds, message='as "completed"'),
    SpoiltRequest(OUTPUTS, forgets_exit_codes, message="exit_code"),
    SpoiltRequest(OUTPUTS, forgets_safety_checks, message="is missing"),
    SpoiltRequest(OUTPUTS, escapes_custom_output, message="call_n"),
    SpoiltRequest("turn-pairs", drops_outputs, message="did not reach"),
    SpoiltRequest(HALF_CALL, empties_hosted_calls, message="went upstream as"),
    SpoiltRequest(HALF_CALL, sends_hosted_calls_as_functions, message="as that of a function"),
    SpoiltRequest(
        HALF_CALL, leaves_calls_in_progress, level="should", message="status of the call"
    ),
    SpoiltRequest(
        HALF_CALL,
        drops_pending_safety_checks,
        level="should",
        message="pending_safety_checks of the call 'call_link' is missing",
    ),
    SpoiltRequest(APPROVALS, drops_answers, message="did not reach"),
    SpoiltRequest(APPROVALS, always_approves, message="went upstream as true"),
    SpoiltRequest(APPROVALS, answers_twice, message="2 times"),
    SpoiltRequest(APPROVALS, answers_with_a_word, message="without a boolean"),
    SpoiltRequest(APPROVALS, answers_another_request, message="did not reach"),
    SpoiltRequest(APPROVALS, swaps_the_answers, message="went upstream as"),
    SpoiltRequest(APPROVALS, drops_reasons, level="should", message="without its reason"),
    SpoiltRequest(APPROVALS, drops_requests, message="is not in the request"),
    SpoiltRequest(APPROVALS, refers_to_requests, message="and it was not stored"),
)
