"""Rules about calls and results in requests: each result has its call, and both are unchanged."""

from collections.abc import Iterator, Set
from typing import Any

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.requests.differences import (
    NOT_SENT,
    Changed,
    differences,
    is_json_of,
    matched_results,
    same_text,
)
from conformance.rules.requests.evidence import SentBack, no_conversation, request_defect
from mockserver.dialects.conversation import ToolCall, ToolResult, calls_in, results_in
from mockserver.foundation.call_arguments import same_arguments


class CallNotHandedOver(Kind, weighs="harm"):
    """A call goes upstream that the host did not hand over, with a result or without."""

    call: str
    tool: str

    message = "the call {call!r} ({tool}) went upstream, and the host handed over no such call"
    right = "the calls that the host handed over, and no other"


class HalfCallWithResult(CallNotHandedOver, weighs="manners"):
    """A call that the upstream never completed goes back with a result, so that it is a pair."""

    message = (
        "the call {call!r} ({tool}) went upstream with a result, and the host handed over no such "
        "call"
    )


class ArgumentsChanged(Kind, weighs="harm"):
    """A call goes upstream with other arguments."""

    call: str
    arguments: str
    due: str

    message = "the call {call!r} went upstream with the arguments {arguments:quoted-80}"
    right = "arguments that say {due:first-80}"


class CallOfAnotherType(Kind, weighs="loss"):
    """A call goes upstream as another type of item. An empty type is that of a function."""

    call: str
    due_type: str
    type: str
    function: str

    message = (
        "the call {call!r} of [[the tool {due_type!r}|a function]] went upstream as that of "
        "[[the tool {type!r}|a function {function!r}]]"
    )
    right = "an item of the type that the upstream sent"
    same_by = ("due_type", "type")


class HostedCallChanged(Changed, weighs="loss"):
    """A field of the call of a tool that is no function is missing, or has another value."""

    call: str

    message = (
        "{path} of the call {call!r} [[{is_missing:if}is missing|went upstream as {sent:json-80}]]"
    )


class HostedCallMarkedOtherwise(HostedCallChanged, weighs="manners"):
    """Another status of such a call, or other safety checks: not what is to be done."""


@rule(
    holds="no call goes back upstream that it did not complete (with a result: should); arguments "
    "go back as they came, and so do the status and the pending safety checks of a hosted tool's "
    "call (should)",
    source="lm-stream-semantics § 3.4; OpenResponses § FunctionCall",
    not_applicable=no_conversation,
    kinds=(
        CallNotHandedOver,
        HalfCallWithResult,
        ArgumentsChanged,
        CallOfAnotherType,
        HostedCallChanged,
        HostedCallMarkedOtherwise,
    ),
)
def turn_no_half_call(sent: SentBack) -> Iterator[Defect]:
    for entry in calls_in(sent.received):
        id_ = sent.upstream_id(entry.id)
        if hosted := sent.hosted_calls.get(id_):
            yield from _changed_hosted_call(entry, hosted)
        elif (made := sent.calls.get(id_)) is None:
            is_pair = entry.id in _half_calls_with_result(sent)
            kind = HalfCallWithResult if is_pair else CallNotHandedOver
            about = topics(f"call:{entry.id}", f"result:{entry.id}")
            yield request_defect(kind(entry.id, entry.name), about)
        elif entry.type and not _is_offered(sent, made.name, entry.type):
            other = CallOfAnotherType(entry.id, "", entry.type, entry.name)
            yield request_defect(other, topics(f"call:{entry.id}"))
        elif not same_arguments(entry.arguments, made.arguments):
            yield request_defect(
                ArgumentsChanged(entry.id, entry.arguments, made.arguments),
                about=topics(f"call:{entry.id}"),
            )


def _is_offered(sent: SentBack, name: str, type_: str) -> bool:
    """Whether the host offers a tool of this name and type."""
    return any(tool["name"] == name and tool.get("type") == type_ for tool in sent.asked.tools)


def _half_calls_with_result(sent: SentBack) -> Set[str]:
    """The calls that the upstream began, and did not complete, and that are sent with a result.

    The upstream takes the pair, and the model reads what became of its call.
    """
    called = {call.id for call in calls_in(sent.received)}
    answered = {result.id for result in results_in(sent.received)}
    return (called & answered & sent.ids_sent) - sent.calls.keys()


# The fields of a call that do not say what is to be done.
_BESIDE_INPUT = frozenset({"status", "pending_safety_checks"})


def _changed_hosted_call(entry: ToolCall, made: ToolCall) -> Iterator[Defect]:
    """A call of a tool that is no function goes back as the item that the upstream sent."""
    about = topics(f"call:{entry.id}")
    if entry.type != made.type:
        yield request_defect(CallOfAnotherType(entry.id, made.type, entry.type, entry.name), about)
        return
    for name, due in made.fields.items():
        value = entry.fields.get(name, NOT_SENT)
        if name in _BESIDE_INPUT and value is NOT_SENT and (name == "status" or not due):
            # Most calls may go back without their status, and no checks are none.
            continue
        for change in differences(name, due, value):
            if change.due is not None:
                kind = HostedCallMarkedOtherwise if name in _BESIDE_INPUT else HostedCallChanged
                yield request_defect(kind(*change, entry.id), about)


_OWN_ID = "the id that the upstream gave to the call"


class ForeignId(Kind, weighs="loss"):
    """A call or its result goes upstream under an id that the upstream did not give."""

    id: str
    due: str

    message = "a call went back upstream with the id {id!r}; the upstream called it {due!r}"
    right = _OWN_ID
    headline = "the call {due!r} went back upstream as {id!r}"


class _WrongResult(Kind, weighs="loss"):
    """The result of a call is not sent once, after its call, as the tool gave it."""

    call: str

    right = "each result once, under the id of its call"


class ResultLost(_WrongResult):
    """The result of a call does not reach the upstream."""

    message = "the result of the call {call!r} did not reach the upstream"


class ResultRepeated(_WrongResult):
    """The result of a call goes upstream more than once."""

    times: int

    message = "the result of the call {call!r} went upstream {times} times"


class ResultWithoutCall(_WrongResult):
    """A result goes upstream for a call that was not made."""

    message = "a result went upstream for a call {call!r}, which there is not"
    right = _OWN_ID


class ResultOfHalfCall(ResultWithoutCall, weighs="manners"):
    """A result goes upstream for a call that the upstream never completed, beside that call."""


class ResultBeforeCall(_WrongResult):
    """A result stands before its call."""

    message = "the result of the call {call!r} stands before the call"
    right = "each result behind its call"


@rule(
    holds="every result answers a call, with the upstream's id, in order",
    source="lm-stream-semantics § 3.3; OpenAI § Function calling",
    not_applicable=no_conversation,
    kinds=(
        ForeignId,
        ResultLost,
        ResultRepeated,
        ResultWithoutCall,
        ResultOfHalfCall,
        ResultBeforeCall,
    ),
)
def turn_pairs(sent: SentBack) -> Iterator[Defect]:
    yield from _foreign_ids(sent)
    yield from _results(sent)
    yield from _order(sent)


def _foreign_ids(sent: SentBack) -> Iterator[Defect]:
    """Calls and results under an id that the upstream did not give."""
    foreign: dict[str, str] = {}
    for entry in sent.received:
        if isinstance(entry, ToolCall | ToolResult):
            foreign.setdefault(entry.id, sent.upstream_id(entry.id))
    for id_, own in foreign.items():
        if id_ != own:
            about = topics(f"call:{own}", f"result:{own}", f"call:{id_}", f"result:{id_}")
            yield request_defect(ForeignId(id_, own), about)


def _results(sent: SentBack) -> Iterator[Defect]:
    """Results that are missing, repeated, or without a call."""
    due, came = ([each.id for each in results_in(of)] for of in (sent.handed_over, sent.received))
    for id_ in due:
        if (times := came.count(id_)) != 1:
            kind = ResultRepeated(id_, times) if times else ResultLost(id_)
            yield request_defect(kind, topics(f"result:{id_}"))
    for id_ in dict.fromkeys(came):
        if id_ not in sent.calls and id_ not in sent.hosted_calls:
            is_pair = id_ in _half_calls_with_result(sent)
            without = ResultOfHalfCall if is_pair else ResultWithoutCall
            yield request_defect(without(id_), topics(f"result:{id_}"))


def _order(sent: SentBack) -> Iterator[Defect]:
    """Results before their calls."""
    called = {
        e.id: n for n, e in reversed(list(enumerate(sent.received))) if isinstance(e, ToolCall)
    }
    for n, entry in enumerate(sent.received):
        if isinstance(entry, ToolResult) and called.get(entry.id, -1) > n:
            yield request_defect(ResultBeforeCall(entry.id), topics(f"result:{entry.id}"))


class WrongToolNamed(_WrongResult):
    """A result names another tool than its call, or none."""

    tool: str
    due: str

    message = "the result of the call {call!r} names [[the tool {tool!r}|no tool]]"
    right = "{due!r}, as the call has it, whichever message that stands in"


@rule(
    holds="the tool's name is found across messages",
    source="stream-mapping § Tool Result Messages",
    not_applicable=no_conversation,
    kinds=(WrongToolNamed,),
)
def turn_tool_name(sent: SentBack) -> Iterator[Defect]:
    """A result that names a tool names the tool of its call."""
    for result in results_in(sent.received):
        call = sent.calls.get(sent.upstream_id(result.id))
        if call and result.name not in (None, call.name):
            kind = WrongToolNamed(result.id, result.name or "", call.name)
            yield request_defect(kind, topics(f"result:{result.id}"))


class ResultChanged(_WrongResult):
    """A result goes upstream as something else than the text of the tool."""

    output: Any
    due: str

    message = "the result of the call {call!r} went upstream as {output:json-80}"
    right = "the text {due:quoted-80}"


class ResultInQuotes(ResultChanged, weighs="manners"):
    """A result goes upstream as JSON of the text of the tool."""


@rule(
    holds="a result is what the tool said, in the dialect's own shape",
    source="stream-mapping § Tool Result Messages; OpenAI § Function calling",
    not_applicable=no_conversation,
    kinds=(ResultChanged, ResultInQuotes),
)
def turn_output_shape(sent: SentBack) -> Iterator[Defect]:
    for due, came in matched_results(sent, hosted=False):
        if not same_text(came.output, due.output):
            # In quotes, the model still reads all of it.
            kind = ResultInQuotes if is_json_of(came.output, due.output) else ResultChanged
            about = topics(f"output:{came.id}")
            yield request_defect(kind(came.id, came.output, due.output), about)
