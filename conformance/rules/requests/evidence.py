"""The evidence of rules about requests: the input from the host, and the request upstream.

Both are conversations in the form of ``mockserver.dialects.conversation``. Calls have the
upstream's ids, without the prefix that the adapter adds for its host, since these ids must go back
upstream.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, cast

from conformance.contract.traits import Traits
from conformance.contract.transcript import Request, SentEvent, Transcript, TurnInput
from conformance.dialects import KIT
from conformance.dialects.json_search import fields_of_text
from conformance.expectation.own_ids import approval_ids
from conformance.findings.finding import Defect, Kind, topics
from conformance.rules.turns import PlayedTurn
from conformance.vocabularies import VOCABULARIES
from mockserver.dialects import DIALECTS, Inbound
from mockserver.dialects.conversation import (
    ApprovalRequest,
    ApprovalResponse,
    Entry,
    Message,
    Role,
    StoredItem,
    ToolCall,
    ToolResult,
    calls_in,
    is_from_model,
)
from mockserver.foundation.json_fields import mapping, text
from mockserver.foundation.json_text import dump
from mockserver.scenario.model import Turn


@dataclass(frozen=True)
class SentBack:
    """The request for one turn, with the input that the host gave for it.

    ``turn`` is the scenario's. ``request`` is None if the adapter made none.
    """

    played: PlayedTurn
    asked: TurnInput
    request: Request | None
    turn: Turn

    @property
    def transcript(self) -> Transcript:
        """What was sent and emitted in the turn."""
        return self.played.transcript

    @property
    def before(self) -> tuple[Transcript, ...]:
        """What was sent and emitted in the turns before it."""
        return self.played.transcript.before

    @property
    def traits(self) -> Traits:
        """The traits of the adapter."""
        return self.played.traits

    @cached_property
    def own_ids(self) -> Mapping[str, str]:
        """The upstream's ids by those that the adapter made in the turns before."""
        found = (turn.own_ids(turn.calls) for turn in self.played.before)
        return {own: upstream for ids in found for own, upstream in ids.items()}

    @property
    def body(self) -> Any:
        """The JSON body of the request; None if there is no request."""
        return self.request.body if self.request else None

    @cached_property
    def inbound(self) -> Inbound:
        """The request as its dialect reads it."""
        return self.read(self.body, self.request.headers if self.request else {})

    def read(self, body: Any, headers: Mapping[str, str] | None = None) -> Inbound:
        """A request body as its dialect reads it."""
        return DIALECTS[self.transcript.dialect].requests.read(body, headers or {})

    @cached_property
    def received(self) -> tuple[Entry, ...]:
        """The conversation in the request, with references to stored items resolved.

        A call to which the upstream gave no id has the id that the host knows, whatever id the
        adapter gives it in the request.
        """
        return tuple(
            replace(entry, id=self._known_ids[entry.id])
            if isinstance(entry, ToolCall | ToolResult) and entry.id in self._known_ids
            else entry
            for entry in self._entries_sent
        )

    @cached_property
    def _entries_sent(self) -> tuple[Entry, ...]:
        return tuple(e for entry in self.inbound.conversation for e in self._resolved(entry))

    @cached_property
    def _known_ids(self) -> dict[str, str]:
        """The host's ids of calls without one of the upstream, by their ids in the request.

        Empty if nothing is known of what the upstream sent in the turns before.
        """
        known = set(self.calls)
        unknown = [e for e in self._entries_sent if isinstance(e, ToolCall) and e.id not in known]
        if not unknown or not any(transcript.sent for transcript in self.before):
            return {}
        left = [call for id_, call in self.calls.items() if id_ not in self.ids_sent]
        found: dict[str, str] = {}
        for entry in unknown:
            same = next((call for call in left if call.name == entry.name), None)
            if same is not None and entry.id not in found:
                left.remove(same)
                found[entry.id] = same.id
        return found

    @cached_property
    def ids_sent(self) -> set[str]:
        """The ids of calls that the upstream sent, or began, in the turns before."""
        entries = (entry for turn in self.played.before for entry in turn.entries)
        return {id_ for entry in entries for id_ in (*entry.announces, *entry.calls)}

    def _resolved(self, entry: Entry) -> Iterator[Entry]:
        if not isinstance(entry, StoredItem):
            yield entry
        elif item := self._stored_items.get(entry.id):
            yield from self.read({"input": [item]}).conversation

    @cached_property
    def _items_sent(self) -> dict[str, Mapping[str, Any]]:
        """The items that the upstream sent in the turns before, by their ids."""
        return {id_: item for turn in self.before for id_, item in _items_of(turn).items()}

    @cached_property
    def _stored_items(self) -> dict[str, Mapping[str, Any]]:
        """Those of the items that the upstream has stored."""
        stored = (turn for turn in self.before if self._was_stored(turn))
        return {id_: item for turn in stored for id_, item in _items_of(turn).items()}

    def _was_stored(self, turn: Transcript) -> bool:
        """Whether the upstream has stored its response of an earlier turn."""
        asked = turn.posts[-1] if turn.posts else None
        return asked is None or self.read(asked.body, asked.headers).stores

    @cached_property
    def _items_read(self) -> dict[str, Entry]:
        """The items that the upstream sent in the turns before as entries, by their ids."""
        read = {
            id_: self.read({"input": [item]}).conversation for id_, item in self._items_sent.items()
        }
        return {id_: entries[0] for id_, entries in read.items() if entries}

    @cached_property
    def hosted_calls(self) -> dict[str, ToolCall]:
        """The complete calls of tools besides functions in the turns before, by their ids."""
        calls = {
            id_: entry
            for id_, entry in self._items_read.items()
            if isinstance(entry, ToolCall) and entry.type
        }
        whole = (id_ for id_ in calls if self._items_sent[id_].get("status") != "incomplete")
        return {calls[id_].id: calls[id_] for id_ in whole}

    def refers_to(self, id_: str) -> bool:
        """Whether the request has a reference to a stored item of this id."""
        return StoredItem(id_) in self.inbound.conversation

    @cached_property
    def approvals_before(self) -> frozenset[str]:
        """The ids of the approval requests of the turns before the last one."""
        earlier = {id_ for turn in self.before[:-1] for id_ in _items_of(turn)}
        return frozenset(earlier)

    @cached_property
    def approvals_due(self) -> tuple[ApprovalResponse, ...]:
        """The host's answers to the approval requests of the last turn, by the upstream's ids."""
        if not self.before:
            return ()
        last = self.before[-1]
        entries = [self._items_read.get(id_) for id_ in _items_of(last)]
        asked = [entry.id for entry in entries if isinstance(entry, ApprovalRequest)]
        upstream = {emitted: id_ for id_, emitted in approval_ids(last, asked).items()}
        return tuple(
            ApprovalResponse(
                upstream.get(m["approvalId"], m["approvalId"]), m["approve"], m.get("reason", "")
            )
            for m in self._new_messages
            if m["role"] == "approval"
        )

    @cached_property
    def handed_over(self) -> tuple[Entry, ...]:
        """The conversation from the host, without what the upstream has stored.

        That is everything up to the last response if the request refers to it by id.
        """
        messages = self._new_messages if self.inbound.previous else self.asked.messages
        return tuple(entry for message in messages for entry in self._entries(message))

    @cached_property
    def _new_messages(self) -> tuple[Mapping[str, Any], ...]:
        """The messages of the host after the last answer of the model."""
        messages = self.asked.messages
        said = max((n for n, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        return messages[said + 1 :]

    @cached_property
    def calls(self) -> dict[str, ToolCall]:
        """All calls in the conversation from the host, by the upstream's ids."""
        entries = [e for message in self.asked.messages for e in self._entries(message)]
        return {call.id: call for call in calls_in(entries)}

    @cached_property
    def encrypted(self) -> list[str]:
        """The encrypted reasoning that must go back upstream, in order."""
        if self.inbound.previous:
            return []
        return [
            found
            for transcript in self.before
            for found in encrypted_reasoning(transcript.dialect, transcript.sent)
        ]

    @cached_property
    def sealed_reasoning(self) -> tuple[str, ...]:
        """The reasoning of each earlier answer with encrypted reasoning, as the host has it.

        Empty if the upstream has stored it, or if the host does not get reasoning as such.
        """
        if self.inbound.previous or self.traits.reasoning != "thinking":
            return ()
        thinking = (
            turn.vocabulary.read(turn.parts, None).thinking
            for turn in self.played.before
            if encrypted_reasoning(turn.transcript.dialect, turn.transcript.sent)
        )
        return tuple(filter(None, thinking))

    @cached_property
    def compacted(self) -> frozenset[str]:
        """The encrypted content of the compactions in the earlier answers."""
        compactions = (i for i in self._items_sent.values() if i.get("type") == "compaction")
        return frozenset(text(item.get("encrypted_content")) for item in compactions)

    @cached_property
    def upstream_texts(self) -> frozenset[str]:
        """Every text in the events of the earlier answers."""
        return frozenset(
            value
            for transcript in self.before
            for event in transcript.sent
            for _, value in fields_of_text(event.data)
        )

    def upstream_id(self, id_: str) -> str:
        """The upstream's id of a call, from an id that may have the adapter's prefix."""
        return id_ if id_ in self.calls else self._bare(id_)

    def _bare(self, id_: str) -> str:
        return self.own_ids.get(id_, id_.removeprefix(self.traits.call_id_prefix))

    def _entries(self, message: Mapping[str, Any]) -> Iterator[Entry]:
        """A message of the host as entries of a conversation."""
        role = message["role"]
        if role == "tool":
            yield self._result(message)
        elif role == "approval":
            return
        elif role == "assistant":
            yield from self._said(message["content"])
        else:
            yield Message(cast("Role", role), message["content"])

    def _result(self, message: Mapping[str, Any]) -> ToolResult:
        id_ = self._bare(message["callId"])
        if not (output := message.get("output")):
            return ToolResult(id_, message["content"])
        (read,) = self.read({"input": [{**output, "call_id": id_}]}).conversation
        return cast("ToolResult", read)

    def _said(self, parts: Sequence[Any]) -> Iterator[Entry]:
        reading = self.played.vocabulary.read(parts, None)
        if said := self._text_to_send_back(reading.text, parts):
            yield Message("assistant", said)
        for call in reading.calls:
            yield ToolCall(self._bare(call.id), call.name, dump(call.input))

    def _text_to_send_back(self, answer: str, parts: Sequence[Any]) -> str:
        """The model's text, with the prefixed reasoning only if the adapter sends that back too."""
        if self.traits.reasoning != "prefixed":
            return answer
        shown = VOCABULARIES[self.transcript.vocabulary].read(parts, None).text
        return shown if shown in texts(self._entries_sent, "assistant") else answer


def _items_of(turn: Transcript) -> dict[str, Mapping[str, Any]]:
    """The items in the events of an answer, each in its last version, by their ids."""
    items = (mapping(mapping(event.data).get("item")) for event in turn.sent)
    return {text(item["id"]): item for item in items if item.get("id")}


def texts(conversation: Sequence[Entry], role: str) -> list[str]:
    """The texts of a role; consecutive texts of the model are joined."""
    if role != "assistant":
        return [e.text for e in conversation if isinstance(e, Message) and e.role == role]
    spoken = (list(group) for by_model, group in groupby(conversation, is_from_model) if by_model)
    joined = ("".join(e.text for e in group if isinstance(e, Message)) for group in spoken)
    return [said for said in joined if said]


def last_request(turn: PlayedTurn) -> SentBack | None:
    """The last request of a turn as evidence; None if the transcript has no input of the host."""
    asked, posts, of_scenario = turn.transcript.asked, turn.transcript.posts, turn.of_scenario
    if asked is None or of_scenario is None:
        return None
    return SentBack(turn, asked, posts[-1] if posts else None, of_scenario)


def no_conversation(sent: SentBack) -> str:
    """Why the request has no conversation to judge; empty if it has one."""
    return "" if sent.received else "the request has no conversation that can be read"


def request_defect(
    kind: Kind, about: frozenset[str], *, needs: frozenset[str] = frozenset()
) -> Defect:
    """A defect of a request; later defects that need ``request`` are consequences of it."""
    return Defect(kind, about, needs=needs, invalidates=topics("request"))


def encrypted_reasoning(dialect: str, sent: Sequence[SentEvent]) -> list[str]:
    """The encrypted reasoning in the events of an answer, each content once, in order."""
    return list(dict.fromkeys(filter(None, KIT[dialect].encrypted(sent))))
