"""The events that ``sends`` can list, by dialect, with their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from mockserver.dialects import DIALECTS
from mockserver.dialects.chat import chunks
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import GROUPS
from mockserver.dialects.vercel import parts
from mockserver.foundation.faults import Place
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event
from tests.events.fields import Contract, Field
from tests.events.words_ai_sdk import WORDS as AI_SDK
from tests.events.words_chat import WORDS as CHAT
from tests.events.words_responses import WORDS as RESPONSES


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event of a dialect, and the names of its fields that are filled in if left out.

    ``group`` is the heading under which the reference has it.
    """

    name: str
    dialect: str
    group: str
    field: Field
    filled: frozenset[str]


_OPENRESPONSES = Contract("events/openresponses", RESPONSES, more=("events/openai-responses",))
_OPENAI = Contract("events/openai-responses", RESPONSES, more=("events/openresponses",))
_CHAT = Contract("events/chat", CHAT)

_IN_CHAT: Mapping[str, tuple[str, str]] = {
    chunks.CHUNK: ("Chunk", "A chunk as it is, with its list of choices"),
    chunks.DELTA: ("Delta", "A chunk whose only choice, with index 0, has this delta"),
    chunks.FINISH: ("Choice", "A chunk that ends its only choice; the fields are the choice's"),
    chunks.USAGE: ("Usage", "A chunk without choices that has these token counts"),
    chunks.ERROR: ("Error", "An error in place of a chunk"),
}


def _openresponses() -> dict[str, tuple[str, Field]]:
    own = {name: ("Events of OpenResponses", _event(_OPENRESPONSES, name)) for name in GROUPS}
    foreign = {name: ("OpenAI's own events", _event(_OPENAI, name)) for name in openai_types.EVENTS}
    return {**own, **foreign}


def _event(contract: Contract, name: str) -> Field:
    return _without_type(contract.definition(f"event:{name}"))


def _chat() -> dict[str, tuple[str, Field]]:
    found = {
        name: ("", replace(_CHAT.definition(kind), about=about))
        for name, (kind, about) in _IN_CHAT.items()
    }
    group, finish = found[chunks.FINISH]
    reason = replace(finish.fields["finish_reason"], about=CHAT["reason"])
    return {
        **found,
        chunks.FINISH: (group, replace(finish, fields={"reason": reason, **finish.fields})),
    }


def _ai_sdk(dialect: str) -> dict[str, tuple[str, Field]]:
    contract = Contract(f"events/{dialect}", AI_SDK)
    known = {name: contract.definition(f"part:{name}") for name in sorted(parts.KNOWN[dialect])}
    return {name: ("", _with_reason(name, _without_type(part))) for name, part in known.items()}


def _with_reason(name: str, part: Field) -> Field:
    """A part whose finish reason a scenario can give in one word."""
    if name not in parts.FINISHES or "finishReason" not in part.fields:
        return part
    given = part.fields["finishReason"]
    values = given.values or given.fields["unified"].values
    about = "Why the model stopped: sets all fields that give the reason; stop if left out"
    reason = Field(about, ("string",), values)
    return replace(part, fields={"reason": reason, **part.fields})


def _without_type(whole: Field) -> Field:
    fields = {name: inner for name, inner in whole.fields.items() if name != "type"}
    return replace(whole, types=("object",), fields=fields)


_EVENTS: Mapping[str, Callable[[], dict[str, tuple[str, Field]]]] = {
    "openresponses": _openresponses,
    "chat": _chat,
    **{name: lambda name=name: _ai_sdk(name) for name in parts.KNOWN},  # type: ignore[misc]
}


@cache
def events_of(dialect: str) -> tuple[SentEvent, ...]:
    """The events of a dialect, in the order of its own tables."""
    return tuple(
        SentEvent(name, dialect, group, field, frozenset(_filled(dialect, name)))
        for name, (group, field) in _EVENTS[dialect]().items()
    )


def _filled(dialect: str, name: str) -> Mapping[str, Any]:
    """The fields that are sent if a scenario gives none."""
    having = parts.generations(name) if dialect == parts.FULLSTREAM else frozenset[str]()
    generation = "" if parts.USUAL in having else next(iter(sorted(having)), "")
    script = Sends((Send(name),), (Place(""),), generation)
    (event,) = DIALECTS[dialect].steps(script, 0)
    assert isinstance(event, Event)
    return _INSIDE[name](event.data) if dialect == "chat" else event.data


_INSIDE: Mapping[str, Callable[[Any], Mapping[str, Any]]] = {
    chunks.CHUNK: lambda data: data,
    chunks.DELTA: lambda data: data["choices"][0]["delta"],
    chunks.FINISH: lambda data: data["choices"][0],
    chunks.USAGE: lambda data: data["usage"],
    chunks.ERROR: lambda data: data["error"],
}
