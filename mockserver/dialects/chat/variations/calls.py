"""What tells the fragments of a call apart, and how much of a call is in one of them.

By the protocol the index tells it, and id, type and name stand in the first fragment alone. A
variation that takes the index away needs calls that come one after the other, each with its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices, index
from mockserver.dialects.chat.variations.steps import SPOKEN, each_chunk, each_delta, is_chunk
from mockserver.dialects.json_fields import mapping, text
from mockserver.scenario.model import Raw
from mockserver.wire.event import Event, Step
from mockserver.wire.steps import Data, events_in
from mockserver.wire.variation import Change, Variation

_NAMES = ("id", "type")
_Key = tuple[int, Any]


@dataclass
class _Known:
    """What is known of each call by its choice and index, from fragment to fragment."""

    change: Callable[[Data, Data], Data]
    calls: dict[_Key, Data] = field(default_factory=dict)

    def chunk(self, data: Data) -> Data:
        return {**data, "choices": [self._choice(choice) for choice in data["choices"]]}

    def _choice(self, choice: Any) -> Any:
        delta = mapping(mapping(choice).get("delta"))
        if not isinstance(delta.get("tool_calls"), list):
            return choice
        grown = [self._fragment(index(choice), each) for each in delta["tool_calls"]]
        return {**choice, "delta": {**delta, "tool_calls": grown}}

    def _fragment(self, choice: int, fragment: Any) -> Any:
        key = (choice, mapping(fragment).get("index"))
        if not isinstance(key[1], int):
            return fragment
        known = self.calls.get(key)
        told = {name: fragment[name] for name in _NAMES if fragment.get(name)}
        if name := mapping(fragment.get("function")).get("name"):
            told["name"] = name
        self.calls[key] = {**(known or {}), **told}
        return fragment if known is None else self.change(fragment, known)


def _later(change: Callable[[Data, Data], Data]) -> Change:
    """A change to every fragment of a call but its first; it is told what was known before it."""
    return lambda steps: each_chunk(_Known(change).chunk)(steps)


def _again(fragment: Data, known: Data) -> Data:
    named = {"name": known["name"]} if "name" in known else {}
    outer = {name: known[name] for name in _NAMES if name in known}
    return {**outer, **fragment, "function": {**named, **mapping(fragment.get("function"))}}


def _typed(fragment: Data, known: Data) -> Data:
    return {"type": known["type"], **fragment} if "type" in known else fragment


def _blank(value: str | None) -> Callable[[Data, Data], Data]:
    def change(fragment: Data, _known: Data) -> Data:
        function = {"name": value, **mapping(fragment.get("function"))}
        return {"id": value, "type": value, **fragment, "function": function}

    return change


def _each_fragment(change: Callable[[Data], Data]) -> Change:
    """A change to every fragment of every call."""

    def changed(delta: Data) -> Data:
        told = delta.get("tool_calls")
        if not isinstance(told, list):
            return delta
        return {**delta, "tool_calls": [change(one) if mapping(one) else one for one in told]}

    return each_delta(changed)


def _from_one(fragment: Data) -> Data:
    at = fragment.get("index")
    return {**fragment, "index": at + 1} if isinstance(at, int) else fragment


def _without_index(fragment: Data) -> Data:
    return {name: value for name, value in fragment.items() if name != "index"}


def _fragments(steps: Sequence[Step]) -> Iterator[tuple[int, Data]]:
    """Every fragment with the choice that it stands in."""
    for event in events_in(steps):
        for choice in choices(event.data):
            yield from ((index(choice), {**call}) for call in calls(mapping(choice.get("delta"))))


def _written_by_hand(steps: Sequence[Step]) -> str:
    """Calls in bytes that are sent to the letter stay as they are."""
    if any(isinstance(step, Raw) and "tool_calls" in step.text for step in steps):
        return "bytes that are sent to the letter have a fragment of a call, which cannot change"
    return ""


def _named_in_pieces(steps: Sequence[Step]) -> str:
    names: dict[_Key, Any] = {}
    for choice, fragment in _fragments(steps):
        name = mapping(fragment.get("function")).get("name")
        if name and names.setdefault((choice, fragment.get("index")), name) != name:
            return "the name of a call comes in pieces"
    return ""


def _not_to_be_joined(steps: Sequence[Step]) -> str:
    """Why the fragments of a call cannot be one."""
    told = (mapping(call.get("function")).get("arguments") for _, call in _fragments(steps))
    if not all(isinstance(arguments, str | None) for arguments in told):
        return "the arguments of a call are no text"
    return _named_in_pieces(steps) or _told_apart_by_index_alone(steps)


def _told_apart_by_index_alone(steps: Sequence[Step]) -> str:
    if why := _written_by_hand(steps):
        return why
    ids: dict[_Key, str] = {}
    last: dict[int, _Key] = {}
    for choice, fragment in _fragments(steps):
        key, id_ = (choice, fragment.get("index")), text(fragment.get("id"))
        if not isinstance(key[1], int):
            return "a fragment of a call has no index"
        if key not in ids:
            if not id_ or id_ in ids.values():
                return "a call does not begin with an id of its own"
            ids[key] = id_
        elif last[choice] != key or id_ not in ("", ids[key]):
            return "fragments of several calls interleave, so only the index tells them apart"
        last[choice] = key
    return ""


@dataclass
class _Joined:
    """The fragments of each call as one, where the last of them stands."""

    left: dict[_Key, int]
    whole: dict[_Key, Data] = field(default_factory=dict)

    def step(self, step: Step) -> Iterator[Step]:
        if not (isinstance(step, Event) and is_chunk(step)):
            yield step
            return
        listed = [self._choice(choice) for choice in step.data["choices"]]
        if any(map(_says_something, listed)) or not listed:
            yield replace(step, data={**step.data, "choices": listed})

    def _choice(self, choice: Any) -> Any:
        delta = mapping(mapping(choice).get("delta"))
        if not calls(delta):
            return choice
        told = [whole for each in calls(delta) for whole in self._grown(index(choice), {**each})]
        rest = {name: value for name, value in delta.items() if name != "tool_calls"}
        return {**choice, "delta": {**rest, **({"tool_calls": told} if told else {})}}

    def _grown(self, choice: int, fragment: Data) -> Iterator[Data]:
        key = (choice, fragment.get("index"))
        before = self.whole.get(key, {})
        known, told = mapping(before.get("function")), mapping(fragment.get("function"))
        arguments = text(known.get("arguments")) + text(told.get("arguments"))
        function = {**told, **known, "arguments": arguments}
        self.whole[key] = {**fragment, **before, "function": function}
        self.left[key] -= 1
        if not self.left[key]:
            yield self.whole[key]


def _says_something(choice: Any) -> bool:
    return bool(mapping(choice).get("delta") or mapping(choice).get("finish_reason"))


def _at_once(steps: Sequence[Step]) -> Sequence[Step]:
    left: dict[_Key, int] = {}
    for choice, fragment in _fragments(steps):
        key = (choice, fragment.get("index"))
        left[key] = left.get(key, 0) + 1
    joined = _Joined(left)
    return [each for step in steps for each in joined.step(step)]


CALLS = (
    Variation(
        "repeated-names",
        "id, type and name stand in every fragment of a call (legal), as MiniMax and NIM send them",
        change_steps=_later(_again),
        dialects=SPOKEN,
        misfit=_named_in_pieces,
    ),
    Variation(
        "repeated-type",
        "the type stands in every fragment of a call (legal), as Claude has it behind Copilot's "
        "proxy",
        change_steps=_later(_typed),
        dialects=SPOKEN,
    ),
    Variation(
        "blank-names",
        "id, type and name are empty in every later fragment of a call (not within OpenAI's "
        "specification)",
        change_steps=_later(_blank("")),
        dialects=SPOKEN,
    ),
    Variation(
        "null-names",
        "id, type and name are null in every later fragment of a call (legal)",
        change_steps=_later(_blank(None)),
        dialects=SPOKEN,
    ),
    Variation(
        "same-index",
        "all calls have the index 0 and begin with an id of their own, as Ollama and Gemini's "
        "bridges send them (not within OpenAI's specification)",
        change_steps=_each_fragment(lambda fragment: {**fragment, "index": 0}),
        dialects=SPOKEN,
        misfit=_told_apart_by_index_alone,
    ),
    Variation(
        "no-index",
        "calls have no index and begin with an id of their own (not within OpenAI's specification)",
        change_steps=_each_fragment(_without_index),
        dialects=SPOKEN,
        misfit=_told_apart_by_index_alone,
    ),
    Variation(
        "index-from-one",
        "the calls of an answer are counted from 1, as Claude's were behind gateways (not within "
        "OpenAI's specification)",
        change_steps=_each_fragment(_from_one),
        dialects=SPOKEN,
        misfit=_written_by_hand,
    ),
    Variation(
        "arguments-at-once",
        "a call comes whole in one fragment, name and arguments (legal), as Gemini's bridges send "
        "it",
        change_steps=_at_once,
        dialects=SPOKEN,
        misfit=_not_to_be_joined,
    ),
)
