"""Rules about OpenAI's hosted tools in requests: offers, results of calls, and approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.findings.finding import Rule, topics
from conformance.rules.requests.differences import (
    NOT_SENT,
    differences_in_lists,
    same_text,
    shown,
)
from conformance.rules.requests.evidence import no_conversation, request_defect
from mockserver.dialects.conversation import ApprovalRequest, ApprovalResponse, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.findings.finding import Defect
    from conformance.rules.requests.evidence import SentBack

# The field that tells apart two tools of the same type.
_IDENTITIES = {"custom": "name", "mcp": "server_label"}


def _turn_hosted_tools(sent: SentBack) -> Iterator[Defect]:
    """The host's tools besides functions are in the request, with the host's settings."""
    if sent.inbound.hosted is None:
        return
    for tool in sent.asked.tools:
        if (type_ := tool.get("type", "function")) == "function":
            continue
        due = _as_requested(tool)
        came = _offer(sent, due)
        about = topics(f"tool:{tool['name']}")
        if came is None:
            yield request_defect(
                f"the request does not offer the host's tool {_named(due)}{_instead(sent, tool)}",
                right=f"{shown(due)}; an adapter that cannot offer it leaves the type out of its "
                "claims.tools",
                about=about,
            )
            continue
        for path, right, value in differences_in_lists(type_, due, came):
            how = "is missing" if value is NOT_SENT else f"went upstream as {shown(value)}"
            yield request_defect(
                f"the setting {path} of the host's tool {how}", shown(right), about
            )


def _as_requested(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of drive/1 as a request has it."""
    named = {"name": tool["name"]} if tool["type"] == "custom" else {}
    return {"type": tool["type"], **named, **tool.get("options", {})}


def _offer(sent: SentBack, due: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The tool of the request that is this one of the host; None if it has none."""
    identity = _IDENTITIES.get(due["type"])
    for tool in sent.inbound.hosted or ():
        if tool.get("type") == due["type"] and (
            identity is None or tool.get(identity) == due.get(identity)
        ):
            return tool
    return None


def _instead(sent: SentBack, tool: Mapping[str, Any]) -> str:
    """What the request offers in place of a tool, in words."""
    functions = {name for name, _ in sent.inbound.tools or ()}
    if tool["name"] in functions:
        return f", but a function {tool['name']!r}"
    others = ", ".join(map(_named, sent.inbound.hosted or ()))
    return f"; it offers {others}" if others else ""


def _named(tool: Mapping[str, Any]) -> str:
    """The type of a tool, and what tells it apart from others of its type."""
    type_ = str(tool.get("type"))
    identity = tool.get(_IDENTITIES.get(type_, ""))
    return f"{type_} {identity}" if identity else type_


TURN_HOSTED_TOOLS = Rule(
    id="turn-hosted-tools",
    holds="the hosted tools of the host are offered, in every turn, by the protocol's own "
    "definition and with the host's settings",
    source="OpenAI § Responses tools; semantics § turn-hosted-tools",
    check=_turn_hosted_tools,
    not_applicable=no_conversation,
)


# Says again what the call said: an upstream that has the call does not need it.
_OPTIONAL = frozenset({"max_output_length"})


def _turn_hosted_outputs(sent: SentBack) -> Iterator[Defect]:
    """The result of a hosted tool goes back as its own type of item, with all of its fields."""
    due = {
        entry.id: entry
        for entry in sent.handed_over
        if isinstance(entry, ToolResult) and entry.type
    }
    for entry in sent.received:
        if not isinstance(entry, ToolResult) or (id_ := sent.upstream_id(entry.id)) not in due:
            continue
        right = due[id_]
        about = topics(f"output:{entry.id}")
        if entry.type != right.type:
            yield request_defect(
                f"the result of the call {id_!r} went upstream as {_item(entry)}",
                right=f"{_item(right)}, since the model called {_tool(right)}",
                about=about,
            )
            continue
        for path, value, came in _changes(right, entry):
            how = "is missing" if came is NOT_SENT else f"went upstream as {shown(came)}"
            yield request_defect(
                f"{path} in the result of the call {id_!r} {how}",
                shown(value),
                about,
                level="should" if path in _OPTIONAL else None,
            )


def _changes(right: ToolResult, came: ToolResult) -> Iterator[tuple[str, Any, Any]]:
    """Path, right value and sent value of each difference between two results."""
    for name, due in right.fields.items():
        value = came.fields.get(name, NOT_SENT)
        if not (isinstance(due, str) and same_text(value, due)):
            yield from differences_in_lists(name, due, value)


def _item(result: ToolResult) -> str:
    """The type of the item that a result is sent as."""
    names = {"": "function", "custom": "custom_tool", "tool_search": ""}
    name = names.get(result.type, result.type)
    return f"{name}_call_output" if name else "tool_search_output"


def _tool(result: ToolResult) -> str:
    return "a custom tool" if result.type == "custom" else f"the tool {result.type!r}"


TURN_HOSTED_OUTPUTS = Rule(
    id="turn-hosted-outputs",
    holds="the result of a hosted tool that the host runs goes back as the item of its type, with "
    "its status, its output and its outcomes as they were",
    source="OpenAI § Responses input items; semantics § turn-hosted-outputs",
    check=_turn_hosted_outputs,
    not_applicable=no_conversation,
)


def _turn_approvals(sent: SentBack) -> Iterator[Defect]:
    """Each answer of the host reaches the upstream once, with the request that it answers."""
    came = [entry for entry in sent.received if isinstance(entry, ApprovalResponse)]
    for due in sent.approvals_due:
        yield from _wrong_answer(due, [entry for entry in came if entry.id == due.id])
        if any(entry.id == due.id for entry in came):
            yield from _wrong_request(sent, due.id)
    known = {due.id for due in sent.approvals_due} | sent.approvals_before
    for entry in came:
        if entry.id not in known:
            yield request_defect(
                f"an answer went upstream to the approval request {entry.id!r}, which the host "
                "has not answered",
                right="the answers of the host, by the ids of the upstream's requests",
                about=topics(f"approval:{entry.id}"),
            )


def _wrong_answer(due: ApprovalResponse, came: list[ApprovalResponse]) -> Iterator[Defect]:
    """What is wrong with the answers that went upstream to one request."""
    about = topics(f"approval:{due.id}")
    answer = f"the host's answer to the approval request {due.id!r}"
    right = f"one mcp_approval_response with approve: {shown(due.approve)}"
    if len(came) != 1:
        how = f"went upstream {len(came)} times" if came else "did not reach the upstream"
        yield request_defect(f"{answer} {how}", right, about)
    elif came[0].approve is not due.approve:
        said = "without a boolean" if came[0].approve is None else f"as {shown(came[0].approve)}"
        yield request_defect(f"{answer} went upstream {said}", right, about)
    elif due.reason and came[0].reason != due.reason:
        how = f"as {came[0].reason!r}" if came[0].reason else "without its reason"
        yield request_defect(
            f"{answer} went upstream {how}",
            right=f"the reason {due.reason!r}",
            about=about,
            # The field is optional.
            level="should",
        )


def _wrong_request(sent: SentBack, id_: str) -> Iterator[Defect]:
    """What is wrong with the approval request that an answer of this id refers to."""
    about = topics(f"approval:{id_}")
    has = any(isinstance(e, ApprovalRequest) and e.id == id_ for e in sent.received)
    if sent.inbound.previous and has:
        yield request_defect(
            f"the approval request {id_!r} went upstream again, beside previous_response_id",
            right="the answer alone: the response that the request continues has the question",
            about=about,
        )
    elif not (has or sent.inbound.previous or sent.body.get("conversation")):
        refers = " except as a reference, and it was not stored" if sent.refers_to(id_) else ""
        yield request_defect(
            f"the approval request {id_!r} is answered, and is not in the request{refers}",
            right="the mcp_approval_request before its answer, or the previous_response_id of the "
            "response that has it",
            about=about,
        )


TURN_APPROVALS = Rule(
    id="turn-approvals",
    holds="each answer of the host to an approval request reaches the upstream once, under the "
    "request's own id, beside the request unless the upstream has it",
    source="OpenAI § MCP approvals, § Responses input items; semantics § turn-approvals",
    check=_turn_approvals,
    not_applicable=lambda sent: "" if sent.approvals_due else no_conversation(sent),
)
