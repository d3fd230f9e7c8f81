"""The host's side of a conversation: its first request, and its requests after each turn.

The host keeps the conversation and sends all of it each time. An assistant's message holds the
parts as the adapter emitted them; a tool result has the id that the adapter gave to the call.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.contract.transcript import TurnInput
from conformance.expectation.own_ids import own_ids_in
from conformance.vocabularies import VOCABULARIES
from mockserver.scenario.model import Host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript
    from conformance.expectation.content import ContentCall
    from mockserver.render import Case
    from mockserver.scenario.model import Then

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
    """The host's next request, with what the turn emitted, the tool results and the next question.

    ``turn`` is the transcript of the turn before, ``calls`` are those of its content. The
    conversation ends if that turn did not complete, or if a call that is to be answered was not
    emitted.
    """
    if turn.verdict != "completed":
        return ConversationEnded(f"the turn ended as {turn.verdict}, so the conversation ends")
    parts = [dict(emitted.part) for emitted in turn.parts]
    reading = VOCABULARIES[turn.vocabulary].with_traits(traits).read(parts, turn.end)
    ids = own_ids_in(turn, traits, calls)
    # A call to which the upstream gave no id is found by the name of its tool.
    emitted = {call.name: call.id for call in reading.calls}
    emitted |= {
        ids.get(call.id, call.id.removeprefix(traits.call_id_prefix)): call.id
        for call in reading.calls
    }
    for key in then.tool_results:
        if key not in emitted:
            return ConversationEnded(f"the call {key!r} did not come out, so nobody can answer it")
        if not emitted[key]:
            return ConversationEnded(f"the call {key!r} came out without an id to answer it by")
    results = [
        {
            "role": "tool",
            "callId": emitted[key],
            "content": content,
            "toolInvocationToken": asked.token,
        }
        for key, content in then.tool_results.items()
    ]
    user = [{"role": "user", "content": then.user}] if then.user else []
    said = {"role": "assistant", "content": parts}
    return replace(asked, messages=(*asked.messages, said, *results, *user))
