"""The host's side of a conversation: its first request, and its requests after each turn.

The host keeps the conversation and sends all of it each time. An assistant's message holds the
parts as the adapter emitted them; a tool result has the id that the adapter gave to the call.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.contract.transcript import Transcript, TurnInput
from conformance.expectation.content import ContentCall
from conformance.expectation.own_ids import approval_ids
from conformance.rules.turns import PlayedTurn
from mockserver.cases.case import Case
from mockserver.foundation.json_text import dump
from mockserver.scenario.model import Host, Then

_DEFAULT_PROMPT = "Please answer, with the tools if they help."


@dataclass(frozen=True, slots=True)
class ConversationEnded:
    """The conversation cannot go on, for the reason ``why``."""

    why: str


def first_request(case: Case) -> TurnInput:
    """The first request in a case: system and user message, options, invocation token."""
    host = case.scenario.host
    system = [{"role": "system", "content": host.system}] if host.system else []
    user = {"role": "user", "content": host.user or _DEFAULT_PROMPT}
    several = len(case.scenario.turns) > 1
    token = f"invocation-{secrets.token_hex(8)}" if several else ""
    return TurnInput((*system, user), token=token, options=host.options)


def judges_request(case: Case) -> bool:
    """Whether the requests of a case are judged: those of several turns, or of a scripted host."""
    return len(case.scenario.turns) > 1 or case.scenario.host != Host()


def next_request(
    asked: TurnInput,
    then: Then,
    turn: Transcript,
    traits: Traits,
    calls: Sequence[ContentCall] = (),
) -> TurnInput | ConversationEnded:
    """The host's next request: what the turn emitted, results, approvals and the next question.

    ``turn`` is the transcript of the turn before, ``calls`` are those of its content. The
    conversation ends if that turn did not complete, or if a call or an approval request that is to
    be answered was not emitted.
    """
    if turn.verdict != "completed":
        return ConversationEnded(f"the turn ended as {turn.verdict}, so the conversation ends")
    parts = [dict(emitted.part) for emitted in turn.parts]
    emitted = _emitted_calls(PlayedTurn(turn, traits), calls)
    for key in then.answered_calls:
        if key not in emitted:
            return ConversationEnded(f"the call {key!r} did not come out, so nobody can answer it")
        if not emitted[key]:
            return ConversationEnded(f"the call {key!r} came out without an id to answer it by")
    approvals = approval_ids(turn, then.approvals)
    for id_ in then.approvals:
        if id_ not in approvals:
            why = f"the approval request {id_!r} did not come out, so nobody can answer it"
            return ConversationEnded(why)
    said = {"role": "assistant", "content": parts}
    added = (
        *_results(then, emitted, asked.token),
        *_approvals(then, approvals),
        *([{"role": "user", "content": then.user}] if then.user else ()),
    )
    return replace(asked, messages=(*asked.messages, said, *added))


def _emitted_calls(turn: PlayedTurn, calls: Sequence[ContentCall]) -> dict[str, str]:
    """The emitted ids of calls, by the upstream's ids and by the names of their tools."""
    ids, prefix = turn.own_ids(calls), turn.traits.call_id_prefix
    # A call to which the upstream gave no id is found by the name of its tool.
    emitted = {call.name: call.id for call in turn.reading.calls}
    return emitted | {
        ids.get(call.id, call.id.removeprefix(prefix)): call.id for call in turn.reading.calls
    }


def _results(then: Then, emitted: Mapping[str, str], token: str) -> Iterator[dict[str, Any]]:
    """The messages with the results of calls; ``emitted`` has the emitted ids of the calls."""
    results: list[tuple[str, dict[str, Any]]] = [
        *((key, {"content": content}) for key, content in then.tool_results.items()),
        *(
            (key, {"content": _as_text(each), "output": {**each}})
            for key, each in then.outputs.items()
        ),
    ]
    for key, result in results:
        yield {"role": "tool", "callId": emitted[key], **result, "toolInvocationToken": token}


def _as_text(output: Mapping[str, Any]) -> str:
    """The result of a hosted tool as text, for adapters that only know functions."""
    said = {name: value for name, value in output.items() if name != "type"}
    only = said.get("output")
    return only if isinstance(only, str) and len(said) == 1 else dump(said)


def _approvals(then: Then, emitted: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The messages with the host's answers to approval requests."""
    reason = {"reason": then.reason} if then.reason else {}
    for id_, approve in then.approvals.items():
        yield {"role": "approval", "approvalId": emitted[id_], "approve": approve, **reason}
