"""Puts captured exchanges in order: conversations, their turns, and the attempts at a turn.

A request continues a conversation if it repeats what the user has said so far and the model has
answered since. A request that is sent again because it failed is another attempt.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from conformance.dialects.recognition import split_responses
from mockserver.dialects import DIALECTS
from mockserver.dialects.conversation import (
    ApprovalResponse,
    Message,
    ToolResult,
    is_from_model,
    model_turns,
)
from mockserver.dialects.requests import Inbound
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.foundation.shipped import schema
from streamproof._captures.exchange import Exchange
from streamproof._captures.file_text import can_write

_MAX_ATTEMPTS = 8
_MAX_TURNS = schema("scenario")["properties"]["turns"]["maxItems"]


@dataclass(slots=True)
class Conversation:
    """What a capture has of one conversation, all in one dialect.

    Each turn has the attempts at one request. ``left_out`` is the number of answers after the most
    turns that a scenario may have.
    """

    dialect: str
    turns: list[list[Exchange]] = field(default_factory=list)
    left_out: int = 0

    @property
    def exchanges(self) -> list[Exchange]:
        """All attempts at all turns, in order."""
        return [exchange for turn in self.turns for exchange in turn]

    @property
    def name(self) -> str:
        """Where it began, for messages."""
        return self.turns[0][-1].name

    @property
    def size(self) -> int:
        """The number of its events."""
        return sum(len(each.dump.events) for each in self.exchanges)


def find_conversations(exchanges: Iterable[Exchange]) -> list[Conversation]:
    """The conversations of exchanges, whose dialects are known, in the order of their beginning."""
    found: list[Conversation] = []
    for attempt in map(read_request, _single_responses(exchanges)):
        held = next((each for each in reversed(found) if _continues(each, attempt)), None)
        if held is None:
            held = Conversation(attempt.dialect)
            found.append(held)
        if held.turns and _again(held.turns[-1], attempt):
            held.turns[-1].append(attempt)
        elif len(held.turns) == _MAX_TURNS:
            held.left_out += 1
        else:
            held.turns.append([attempt])
    return found


def _single_responses(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    for exchange in exchanges:
        responses = split_responses(exchange.dump, exchange.dialect)
        for n, response in enumerate(responses, 1):
            framing = response.framing
            whole = response.events and response.events[-1].kind != "raw"
            if framing and exchange.close is None and whole:
                # The tool that has made a dump may have left out its last line end.
                framing = replace(framing, unterminated=None)
            dump = replace(exchange.dump, events=response.events, framing=framing)
            name = f"{exchange.name}: response {n}" if len(responses) > 1 else exchange.name
            # Only of the last response it is known how the stream ended.
            close = exchange.close if n == len(responses) else "clean"
            yield replace(exchange, name=name, dump=dump, close=close)


def read_request(exchange: Exchange) -> Exchange:
    """An exchange with its request as its dialect reads it."""
    if not isinstance(exchange.body, dict):
        return exchange
    headers = {name.lower(): value for name, value in exchange.request_headers.items()}
    read = DIALECTS[exchange.dialect].requests.read
    return replace(exchange, inbound=read(exchange.body, headers))


def _again(turn: Sequence[Exchange], attempt: Exchange) -> bool:
    """Whether an attempt repeats the request of a turn that has failed."""
    is_same = turn[-1].body is not None and turn[-1].body == attempt.body
    return is_same and turn[-1].failed and len(turn) < _MAX_ATTEMPTS


def _continues(held: Conversation, attempt: Exchange) -> bool:
    last = held.turns[-1][-1]
    if (last.dialect, last.run) != (attempt.dialect, attempt.run):
        return False
    before, now = last.inbound, attempt.inbound
    if before is None or now is None:
        # Responses of one file, without their requests, are one conversation.
        return before is None and now is None
    if _again(held.turns[-1], attempt) or now.previous:
        return True
    said, says = _user_texts(before), _user_texts(now)
    return says[: len(said)] == said and model_turns(now.conversation) > model_turns(
        before.conversation
    )


def _user_texts(inbound: Inbound) -> list[str]:
    entries = inbound.conversation
    return [each.text for each in entries if isinstance(each, Message) and each.role == "user"]


# What the host sends


_HOSTED = frozenset(schema("scenario")["$defs"]["hosted-tool"]["properties"]["type"]["enum"])
_MAX_TOOLS = schema("scenario")["$defs"]["host"]["properties"]["tools"]["maxItems"]


def write_host(first: Exchange) -> tuple[dict[str, Any], list[str]]:
    """The ``host`` of a scenario from its first request, and what a person has to decide."""
    if (inbound := first.inbound) is None:
        return {}, []
    messages = [entry for entry in inbound.conversation if isinstance(entry, Message)]
    system = "\n\n".join(m.text for m in messages if m.role in ("system", "developer"))
    users = [message.text for message in messages if message.role == "user"]
    found = {
        "system": system,
        "user": users[-1] if users else "",
        "tools": list(islice(_tools(inbound, first.body), _MAX_TOOLS)),
    }
    todo = []
    if model_turns(inbound.conversation):
        todo.append("the conversation began before the capture; host has its last message alone")
    return {name: value for name, value in found.items() if value and can_write(value)}, todo


def _tools(inbound: Inbound, body: Any) -> Iterator[dict[str, Any]]:
    offered = (
        mapping(tool.get("function")) or tool
        for tool in map(mapping, listed(mapping(body).get("tools")))
    )
    descriptions = {text(each.get("name")): text(each.get("description")) for each in offered}
    for name, shape in inbound.tools or ():
        if name and isinstance(shape, dict):
            about = descriptions.get(name)
            described = {"description": about} if about else {}
            yield {"name": name, **described, "input_schema": shape}
    yield from (dict(tool) for tool in inbound.hosted or () if tool.get("type") in _HOSTED)


def write_then(
    calls: Sequence[str], following: Inbound | None, turn: int, other_ids: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """The ``then`` before the turn of this number, from 1, and what a person has to decide.

    It is what the request that follows adds to the ``calls`` of the turn before, of which some may
    have ``other_ids`` than in the request.
    """
    entries = following.conversation if following else ()
    last = max((n for n, entry in enumerate(entries) if is_from_model(entry)), default=-1)
    added = entries[last + 1 :]
    results: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    approved: dict[str, bool] = {}
    todo: list[str] = []
    for entry in added:
        if isinstance(entry, ToolResult):
            id_ = other_ids.get(entry.id, entry.id)
            if id_ not in calls:
                todo.append(f"no call of this turn has the id {id_!r}, to which a result came")
            elif entry.type:
                outputs[id_] = {"type": f"{entry.type}_call_output", **entry.fields}
            else:
                results[id_] = entry.output
        elif isinstance(entry, ApprovalResponse) and entry.approve is not None:
            approved[entry.id] = entry.approve
    said = "\n\n".join(each.text for each in added if isinstance(each, Message))
    for id_ in calls:
        if id_ not in results and id_ not in outputs:
            results[id_] = "TODO: the result of this call"
    then = {"tool_results": results, "outputs": outputs, "approve": approved, "user": said}
    found = {name: value for name, value in then.items() if value and can_write(value)}
    # The mock tells turns apart by what the user says.
    return found or {"user": f"TODO: what the user says before turn {turn}"}, todo
