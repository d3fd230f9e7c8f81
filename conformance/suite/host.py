"""The host's side of a conversation: what it asks at first, and what it answers to what came out.

The host keeps the conversation and hands all of it over each time: an assistant's message is the
parts as the adapter emitted them, a result goes by the id that the adapter gave to its call.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.contract.transcript import Asked
from conformance.vocabularies import VOCABULARIES
from mockserver.scenario.model import Host

if TYPE_CHECKING:
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript
    from mockserver.render import Case
    from mockserver.scenario.model import Then

_PLEASE = "Please answer, with the tools if they help."


@dataclass(frozen=True, slots=True)
class NothingToSay:
    """Why a conversation cannot go on."""

    why: str


def first(case: Case) -> Asked:
    """What the host asks at first."""
    host = case.scenario.host
    system = [{"role": "system", "content": host.system}] if host.system else []
    user = {"role": "user", "content": host.user or _PLEASE}
    several = len(case.scenario.turns) > 1
    token = f"invocation-{secrets.token_hex(8)}" if several else ""
    return Asked((*system, user), token=token, options=host.options)


def matters(case: Case) -> bool:
    """Is what the host says a part of the situation, so that the request for it is judged?"""
    return len(case.scenario.turns) > 1 or case.scenario.host != Host()


def next_(asked: Asked, then: Then, leg: Transcript, traits: Traits) -> Asked | NothingToSay:
    """What the host hands over after a turn whose transcript this is."""
    if leg.verdict != "completed":
        return NothingToSay(f"the turn ended as {leg.verdict}, so the conversation ends")
    parts = [dict(emitted.part) for emitted in leg.parts]
    reading = VOCABULARIES[leg.vocabulary].under(traits).read(parts, leg.end)
    emitted = {call.id.removeprefix(traits.call_id_prefix): call.id for call in reading.calls}
    for id_ in then.tool_results:
        if id_ not in emitted:
            return NothingToSay(f"the call {id_!r} did not come out, so nobody can answer it")
    results = [
        {
            "role": "tool",
            "callId": emitted[id_],
            "content": content,
            "toolInvocationToken": asked.token,
        }
        for id_, content in then.tool_results.items()
    ]
    user = [{"role": "user", "content": then.user}] if then.user else []
    said = {"role": "assistant", "content": parts}
    return replace(asked, messages=(*asked.messages, said, *results, *user))
