"""What rules about requests look at: what the host handed over, and what of it went upstream.

Both are conversations in neutral form. In the host's the ids of calls are the upstream's own, since
that is what has to go back: whatever an adapter puts before them is between it and its host.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from conformance.contract.finding import Defect, topics
from conformance.dialects import KIT
from conformance.vocabularies import VOCABULARIES
from mockserver.conversation import (
    Message,
    Reasoning,
    Role,
    StoredItem,
    ToolCall,
    ToolResult,
    is_from_model,
)
from mockserver.dialects import DIALECTS
from mockserver.dialects.json_fields import mapping, text
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.finding import Level
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Request, SentEvent, Transcript, TurnInput
    from mockserver.conversation import Entry
    from mockserver.dialects import Inbound
    from mockserver.scenario.model import Turn


@dataclass(frozen=True)
class SentBack:
    """The request for one turn, beside what the host had handed over for it.

    There is none where the adapter asked for nothing.
    """

    leg: Transcript
    before: tuple[Transcript, ...]
    asked: TurnInput
    request: Request | None
    turn: Turn
    traits: Traits

    @property
    def body(self) -> Any:
        return self.request.body if self.request else None

    @cached_property
    def inbound(self) -> Inbound:
        return self.read(self.body, self.request.headers if self.request else {})

    def read(self, body: Any, headers: Mapping[str, str] | None = None) -> Inbound:
        """What a body says in this dialect."""
        return DIALECTS[self.leg.dialect].inbound(body, headers or {})

    @property
    def told(self) -> tuple[Entry, ...]:
        """The conversation that reached the upstream, and of what it keeps that which is named."""
        return tuple(e for entry in self.inbound.conversation for e in self._named(entry))

    def _named(self, entry: Entry) -> Iterator[Entry]:
        if not isinstance(entry, StoredItem):
            yield entry
        elif item := self._kept.get(entry.id):
            yield from self.read({"input": [item]}).conversation

    @cached_property
    def _kept(self) -> dict[str, Mapping[str, Any]]:
        """The items that the upstream has finished in the turns before, by their ids."""
        items = (mapping(mapping(e.data).get("item")) for leg in self.before for e in leg.sent)
        return {text(item["id"]): item for item in items if item.get("id")}

    @cached_property
    def due(self) -> tuple[Entry, ...]:
        """The conversation that the host handed over, as far as the upstream does not keep it."""
        whole = tuple(e for message in self.asked.messages for e in self._entries(message))
        if not self.inbound.previous:
            return whole
        kept = max((n for n, entry in enumerate(whole) if is_from_model(entry)), default=-1)
        return whole[kept + 1 :]

    @cached_property
    def calls(self) -> dict[str, ToolCall]:
        """The calls that the host handed over, by the upstream's own ids, kept ones included."""
        entries = (e for message in self.asked.messages for e in self._entries(message))
        return {entry.id: entry for entry in entries if isinstance(entry, ToolCall)}

    @cached_property
    def opaque(self) -> list[str]:
        """What only the upstream can read of the model's reasoning so far, in order."""
        if self.inbound.previous:
            return []
        return [found for leg in self.before for found in encrypted(leg.dialect, leg.sent)]

    def own(self, id_: str) -> str:
        """The upstream's own id behind one that may still have the adapter's prefix."""
        return id_ if id_ in self.calls else id_.removeprefix(self.traits.call_id_prefix)

    def _entries(self, message: Mapping[str, Any]) -> Iterator[Entry]:
        role = message["role"]
        if role == "tool":
            bare = message["callId"].removeprefix(self.traits.call_id_prefix)
            yield ToolResult(bare, message["content"])
        elif role == "assistant":
            yield from self._said(message["content"])
        else:
            yield Message(cast("Role", role), message["content"])

    def _said(self, parts: Sequence[Any]) -> Iterator[Entry]:
        reading = VOCABULARIES[self.leg.vocabulary].with_traits(self.traits).read(parts, None)
        if reading.text:
            yield Message("assistant", reading.text)
        for call in reading.calls:
            bare = call.id.removeprefix(self.traits.call_id_prefix)
            yield ToolCall(bare, call.name, dump(call.input))


def texts(conversation: Sequence[Entry], role: str) -> list[str]:
    """What was said in a role; what the model says in one go is one text."""
    if role != "assistant":
        return [e.text for e in conversation if isinstance(e, Message) and e.role == role]
    spoken = (list(group) for by_model, group in groupby(conversation, is_from_model) if by_model)
    joined = ("".join(e.text for e in group if isinstance(e, Message)) for group in spoken)
    return [said for said in joined if said]


def thoughts(conversation: Sequence[Entry]) -> list[str]:
    """The opaque reasoning in a conversation."""
    return [e.encrypted for e in conversation if isinstance(e, Reasoning) and e.encrypted]


def sent_back(
    leg: Transcript, before: tuple[Transcript, ...], turn: Turn, traits: Traits
) -> SentBack | None:
    """The last request of a turn; None where nothing is known of what the host handed over."""
    if leg.asked is None:
        return None
    return SentBack(leg, before, leg.asked, leg.posts[-1] if leg.posts else None, turn, traits)


def unread(sent: SentBack) -> str:
    """Why there is no conversation to judge; empty where there is one."""
    return "" if sent.told else "the request has no conversation that can be read"


def wrong(
    message: str,
    right: str,
    about: frozenset[str],
    *,
    needs: frozenset[str] = frozenset(),
    level: Level | None = None,
) -> Defect:
    """A defect of a request: whatever else is wrong with the request as a whole may follow."""
    return Defect(message, right, about, level=level, needs=needs, invalidates=topics("request"))


def encrypted(dialect: str, sent: Sequence[SentEvent]) -> list[str]:
    """The encrypted reasoning of one turn's answer, each content once, in order."""
    return list(dict.fromkeys(filter(None, KIT[dialect].encrypted(sent))))
