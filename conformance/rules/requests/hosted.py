"""Rules about OpenAI's hosted tools in requests: offers, results of calls, and approvals."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.requests.differences import (
    NOT_SENT,
    Change,
    Changed,
    differences,
    matched_results,
    same_text,
)
from conformance.rules.requests.evidence import SentBack, no_conversation, request_defect
from mockserver.dialects.conversation import ApprovalRequest, ApprovalResponse, ToolResult


class HostedToolNotOffered(Kind, weighs="loss"):
    """A tool of the host that is no function is not offered to the model.

    ``tool`` is its type, and what tells it apart from others of its type. ``offers`` are the tools
    besides functions that the request has, ``function`` is the function that it has instead.
    """

    type: str
    tool: str
    due: Any
    function: str
    offers: tuple[str, ...]

    message = (
        "the request does not offer the host's tool {tool}[[, but a function {function!r}]]"
        "[[; it offers {offers:list}]]"
    )
    right = "{due:json-80}; an adapter that cannot offer it leaves the type out of its claims.tools"
    same_by = ("type",)


class SettingChanged(Changed, weighs="loss"):
    """A setting of the host's tool is missing, or has another value."""

    message = (
        "the setting {path} of the host's tool "
        "[[{is_missing:if}is missing|went upstream as {sent:json-80}]]"
    )


# The field that tells apart two tools of the same type.
_IDENTITIES = {"custom": "name", "mcp": "server_label"}


@rule(
    holds="the hosted tools of the host are offered, in every turn, by the protocol's own "
    "definition and with the host's settings",
    source="OpenAI § Responses tools; semantics § turn-hosted-tools",
    not_applicable=no_conversation,
    kinds=(HostedToolNotOffered, SettingChanged),
)
def turn_hosted_tools(sent: SentBack) -> Iterator[Defect]:
    if sent.inbound.hosted is None:
        return
    for tool in sent.asked.tools:
        if (type_ := tool.get("type", "function")) == "function":
            continue
        due = _as_requested(tool)
        came = _offer(sent, due)
        about = topics(f"tool:{tool['name']}")
        if came is None:
            is_function = tool["name"] in {name for name, _ in sent.inbound.tools or ()}
            kind = HostedToolNotOffered(
                type_,
                _named(due),
                due,
                tool["name"] if is_function else "",
                () if is_function else tuple(map(_named, sent.inbound.hosted)),
            )
            yield request_defect(kind, about)
            continue
        for change in differences(type_, due, came):
            yield request_defect(SettingChanged(*change), about)


def _as_requested(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of drive/1 as a request has it."""
    named = ("name", "description") if tool["type"] == "custom" else ()
    own = {name: tool[name] for name in named if tool.get(name)}
    return {"type": tool["type"], **own, **tool.get("options", {})}


def _offer(sent: SentBack, due: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The tool of the request that is this one of the host; None if it has none."""
    identity = _IDENTITIES.get(due["type"])
    for tool in sent.inbound.hosted or ():
        if tool.get("type") == due["type"] and (
            identity is None or tool.get(identity) == due.get(identity)
        ):
            return tool
    return None


def _named(tool: Mapping[str, Any]) -> str:
    """The type of a tool, and what tells it apart from others of its type."""
    type_ = str(tool.get("type"))
    identity = tool.get(_IDENTITIES.get(type_, ""))
    return f"{type_} {identity}" if identity else type_


class ResultOfAnotherType(Kind, weighs="loss"):
    """The result of a tool that is no function goes upstream as another type of item."""

    call: str
    item: str
    due_item: str
    tool: str

    message = "the result of the call {call!r} went upstream as {item}"
    right = "{due_item}, since the model called [[the tool {tool!r}|a custom tool]]"
    same_by = ("item", "due_item")


class ResultFieldChanged(Changed, weighs="loss"):
    """A field in the result of a tool that is no function is missing, or has another value."""

    call: str

    message = (
        "{path} in the result of the call {call!r} "
        "[[{is_missing:if}is missing|went upstream as {sent:json-80}]]"
    )


class RepeatedFieldChanged(ResultFieldChanged, weighs="manners"):
    """The same, of a field that the call has: an upstream that knows the call does not need it."""


_OPTIONAL = frozenset({"max_output_length"})


@rule(
    holds="the result of a hosted tool that the host runs goes back as the item of its type, with "
    "its status, its output and its outcomes as they were",
    source="OpenAI § Responses input items; semantics § turn-hosted-outputs",
    not_applicable=no_conversation,
    kinds=(ResultOfAnotherType, ResultFieldChanged, RepeatedFieldChanged),
)
def turn_hosted_outputs(sent: SentBack) -> Iterator[Defect]:
    for due, came in matched_results(sent, hosted=True):
        about = topics(f"output:{came.id}")
        if came.type != due.type:
            tool = "" if due.type == "custom" else due.type
            kind = ResultOfAnotherType(due.id, _item(came), _item(due), tool)
            yield request_defect(kind, about)
            continue
        for change in _changes(due, came):
            changed = RepeatedFieldChanged if change.path in _OPTIONAL else ResultFieldChanged
            yield request_defect(changed(*change, due.id), about)


def _changes(right: ToolResult, came: ToolResult) -> Iterator[Change]:
    """The differences between two results."""
    for name, due in right.fields.items():
        value = came.fields.get(name, NOT_SENT)
        if not (isinstance(due, str) and same_text(value, due)):
            yield from differences(name, due, value)


def _item(result: ToolResult) -> str:
    """The type of the item that a result is sent as."""
    names = {"": "function", "custom": "custom_tool", "tool_search": ""}
    name = names.get(result.type, result.type)
    return f"{name}_call_output" if name else "tool_search_output"


class _WrongApproval(Kind):
    """An approval request, or the host's answer to it, does not go upstream as it should."""

    request: str


class _WrongAnswer(_WrongApproval):
    """The host's answer to an approval request does not go upstream as it was given."""

    approve: bool | None

    right = "one mcp_approval_response with approve: {approve:json}"


class AnswerLost(_WrongAnswer, weighs="loss"):
    """The host's answer to an approval request does not reach the upstream."""

    message = "the host's answer to the approval request {request!r} did not reach the upstream"


class AnswerRepeated(_WrongAnswer, weighs="loss"):
    """The host's answer to an approval request goes upstream more than once."""

    times: int

    message = "the host's answer to the approval request {request!r} went upstream {times} times"


class AnswerChanged(_WrongAnswer, weighs="harm"):
    """The opposite of the host's answer goes upstream, or nothing that approves or denies."""

    sent: bool | None

    message = "the host's answer to the approval request {request!r} went upstream {sent:phrase}"
    same_by = ("sent",)
    phrases = {"sent": {None: "without a boolean", True: "as true", False: "as false"}}


class ReasonChanged(_WrongApproval, weighs="manners"):
    """The reason of the host's answer does not go upstream, or another one does."""

    reason: str
    sent: str

    message = (
        "the host's answer to the approval request {request!r} went upstream "
        "[[as {sent!r}|without its reason]]"
    )
    right = "the reason {reason!r}"


class AnswerNotGiven(_WrongApproval, weighs="harm"):
    """An answer goes upstream that the host has not given."""

    message = (
        "an answer went upstream to the approval request {request!r}, which the host has not "
        "answered"
    )
    right = "the answers of the host, by the ids of the upstream's requests"


class QuestionRepeated(_WrongApproval, weighs="loss"):
    """An approval request goes upstream again, although the upstream has it."""

    message = "the approval request {request!r} went upstream again, beside previous_response_id"
    right = "the answer alone: the response that the request continues has the question"


class QuestionLost(_WrongApproval, weighs="loss"):
    """An answer goes upstream without its approval request, which the upstream does not have."""

    is_reference: bool

    message = (
        "the approval request {request!r} is answered, and is not in the request"
        "[[{is_reference:if} except as a reference, and it was not stored]]"
    )
    right = (
        "the mcp_approval_request before its answer, or the previous_response_id of the "
        "response that has it"
    )
    same_by = ("is_reference",)


@rule(
    holds="each answer of the host to an approval request reaches the upstream once, under the "
    "request's own id, beside the request unless the upstream has it",
    source="OpenAI § MCP approvals, § Responses input items; semantics § turn-approvals",
    not_applicable=lambda sent: "" if sent.approvals_due else no_conversation(sent),
    kinds=(
        AnswerLost,
        AnswerRepeated,
        AnswerChanged,
        ReasonChanged,
        AnswerNotGiven,
        QuestionRepeated,
        QuestionLost,
    ),
)
def turn_approvals(sent: SentBack) -> Iterator[Defect]:
    came = [entry for entry in sent.received if isinstance(entry, ApprovalResponse)]
    for due in sent.approvals_due:
        yield from _wrong_answer(due, [entry for entry in came if entry.id == due.id])
        if any(entry.id == due.id for entry in came):
            yield from _wrong_request(sent, due.id)
    known = {due.id for due in sent.approvals_due} | sent.approvals_before
    for entry in came:
        if entry.id not in known:
            yield request_defect(AnswerNotGiven(entry.id), topics(f"approval:{entry.id}"))


def _wrong_answer(due: ApprovalResponse, came: list[ApprovalResponse]) -> Iterator[Defect]:
    """What is wrong with the answers that went upstream to one request."""
    about = topics(f"approval:{due.id}")
    if not came:
        yield request_defect(AnswerLost(due.id, due.approve), about)
    elif len(came) > 1:
        yield request_defect(AnswerRepeated(due.id, due.approve, len(came)), about)
    elif came[0].approve is not due.approve:
        yield request_defect(AnswerChanged(due.id, due.approve, came[0].approve), about)
    elif due.reason and came[0].reason != due.reason:
        # The field is optional.
        yield request_defect(ReasonChanged(due.id, due.reason, came[0].reason), about)


def _wrong_request(sent: SentBack, id_: str) -> Iterator[Defect]:
    """What is wrong with the approval request that an answer of this id refers to."""
    about = topics(f"approval:{id_}")
    has = any(isinstance(e, ApprovalRequest) and e.id == id_ for e in sent.received)
    if sent.inbound.previous and has:
        yield request_defect(QuestionRepeated(id_), about)
    elif not (has or sent.inbound.previous or sent.body.get("conversation")):
        yield request_defect(QuestionLost(id_, is_reference=sent.refers_to(id_)), about)
