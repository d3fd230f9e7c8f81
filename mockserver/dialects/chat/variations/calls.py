"""Variations of the fragments of tool calls: their index, id, type and name, and their size.

By the protocol, the index says which call a fragment belongs to, and only the first fragment has
the id, type and name. A variation that removes the index needs calls that do not interleave, each
with its own id.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices, index
from mockserver.dialects.chat.variations.steps import each_chunk, each_delta, is_chunk
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Raw
from mockserver.wire.event import Change, Data, Event, Step, events_in
from mockserver.wire.variation import EVERYWHERE, Variation

_NAMES = ("id", "type")
_Key = tuple[int, Any]


@dataclass
class _FragmentChanger:
    """Changes fragments, with the id, type and name of each call from its earlier fragments."""

    change: Callable[[Data, Data], Data]
    calls: dict[_Key, Data] = field(default_factory=dict)

    def chunk(self, data: Data) -> Data:
        return {**data, "choices": [self._choice(choice) for choice in data["choices"]]}

    def _choice(self, choice: Any) -> Any:
        delta = mapping(mapping(choice).get("delta"))
        if not isinstance(delta.get("tool_calls"), list):
            return choice
        change_calls = [self._fragment(index(choice), each) for each in delta["tool_calls"]]
        return {**choice, "delta": {**delta, "tool_calls": change_calls}}

    def _fragment(self, choice: int, fragment: Any) -> Any:
        key = (choice, mapping(fragment).get("index"))
        if not isinstance(key[1], int):
            return fragment
        known = self.calls.get(key)
        named = {name: fragment[name] for name in _NAMES if fragment.get(name)}
        if name := mapping(fragment.get("function")).get("name"):
            named["name"] = name
        self.calls[key] = {**(known or {}), **named}
        return fragment if known is None else self.change(fragment, known)


def _change_later_fragments(change: Callable[[Data, Data], Data]) -> Change:
    """Apply ``change`` to every fragment of a call but the first.

    ``change`` takes the fragment, and the id, type and name from the earlier fragments.
    """
    return lambda steps: each_chunk(_FragmentChanger(change).chunk)(steps)


def _repeat_names(fragment: Data, known: Data) -> Data:
    named = {"name": known["name"]} if "name" in known else {}
    outer = {name: known[name] for name in _NAMES if name in known}
    return {**outer, **fragment, "function": {**named, **mapping(fragment.get("function"))}}


def _repeat_type(fragment: Data, known: Data) -> Data:
    return {"type": known["type"], **fragment} if "type" in known else fragment


def _repeat_blank_names(value: str | None) -> Callable[[Data, Data], Data]:
    def change(fragment: Data, _known: Data) -> Data:
        function = {"name": value, **mapping(fragment.get("function"))}
        return {"id": value, "type": value, **fragment, "function": function}

    return change


def _change_fragments(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every fragment of every call."""

    def change_calls(delta: Data) -> Data:
        listed = delta.get("tool_calls")
        if not isinstance(listed, list):
            return delta
        return {**delta, "tool_calls": [change(one) if mapping(one) else one for one in listed]}

    return each_delta(change_calls)


def _count_from_one(fragment: Data) -> Data:
    at = fragment.get("index")
    return {**fragment, "index": at + 1} if isinstance(at, int) else fragment


def _remove_index(fragment: Data) -> Data:
    return {name: value for name, value in fragment.items() if name != "index"}


def _remove_type(fragment: Data) -> Data:
    return {name: value for name, value in fragment.items() if name != "type"}


def _fragments(steps: Sequence[Step]) -> Iterator[tuple[int, Data]]:
    """Every fragment of a call, with the index of its choice."""
    for event in events_in(steps):
        for choice in choices(event.data):
            yield from ((index(choice), {**call}) for call in calls(mapping(choice.get("delta"))))


def _raw_calls(steps: Sequence[Step]) -> str:
    """Why the calls cannot be changed if some are sent as raw bytes; else empty."""
    if any(isinstance(step, Raw) and "tool_calls" in step.text for step in steps):
        return "bytes that are sent to the letter have a fragment of a call, which cannot change"
    return ""


def _split_names(steps: Sequence[Step]) -> str:
    """Why names cannot be repeated if one is split over fragments; else empty."""
    names: dict[_Key, Any] = {}
    for choice, fragment in _fragments(steps):
        name = mapping(fragment.get("function")).get("name")
        if name and names.setdefault((choice, fragment.get("index")), name) != name:
            return "the name of a call comes in pieces"
    return ""


def _cannot_be_joined(steps: Sequence[Step]) -> str:
    """Why the fragments of a call cannot be joined; else empty."""
    found = (mapping(call.get("function")).get("arguments") for _, call in _fragments(steps))
    if not all(isinstance(arguments, str | None) for arguments in found):
        return "the arguments of a call are no text"
    return _split_names(steps) or _needs_index(steps)


def _needs_index(steps: Sequence[Step]) -> str:
    """Why the calls cannot be distinguished without an index; else empty."""
    if why := _raw_calls(steps):
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
class _Joiner:
    """Joins the fragments of each call into one, at the place of the last fragment.

    ``left`` counts the fragments of each call that are still to come.
    """

    left: dict[_Key, int]
    joined: dict[_Key, Data] = field(default_factory=dict)

    def step(self, step: Step) -> Iterator[Step]:
        if not (isinstance(step, Event) and is_chunk(step)):
            yield step
            return
        listed = [self._choice(choice) for choice in step.data["choices"]]
        if any(map(_has_content, listed)) or not listed:
            yield replace(step, data={**step.data, "choices": listed})

    def _choice(self, choice: Any) -> Any:
        delta = mapping(mapping(choice).get("delta"))
        if not calls(delta):
            return choice
        joined = [one for each in calls(delta) for one in self._join(index(choice), {**each})]
        rest = {name: value for name, value in delta.items() if name != "tool_calls"}
        return {**choice, "delta": {**rest, **({"tool_calls": joined} if joined else {})}}

    def _join(self, choice: int, fragment: Data) -> Iterator[Data]:
        key = (choice, fragment.get("index"))
        before = self.joined.get(key, {})
        known, new = mapping(before.get("function")), mapping(fragment.get("function"))
        arguments = text(known.get("arguments")) + text(new.get("arguments"))
        function = {**new, **known, "arguments": arguments}
        self.joined[key] = {**fragment, **before, "function": function}
        self.left[key] -= 1
        if not self.left[key]:
            yield self.joined[key]


def _has_content(choice: Any) -> bool:
    """Whether a choice has a delta or a finish reason."""
    return bool(mapping(choice).get("delta") or mapping(choice).get("finish_reason"))


def _join_fragments(steps: Sequence[Step]) -> Sequence[Step]:
    left: dict[_Key, int] = {}
    for choice, fragment in _fragments(steps):
        key = (choice, fragment.get("index"))
        left[key] = left.get(key, 0) + 1
    joiner = _Joiner(left)
    return [each for step in steps for each in joiner.step(step)]


CALLS = (
    Variation(
        "repeated-names",
        "every fragment of a call has its id, type and name (legal), as MiniMax and NIM send them",
        change_steps=_change_later_fragments(_repeat_names),
        misfit=_split_names,
    ),
    Variation(
        "repeated-type",
        "every fragment of a call has its type (legal), as Claude sends it behind Copilot's proxy",
        change_steps=_change_later_fragments(_repeat_type),
    ),
    Variation(
        "blank-names",
        "id, type and name are empty in the later fragments of a call (not within OpenAI's "
        "specification)",
        change_steps=_change_later_fragments(_repeat_blank_names("")),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "null-names",
        "id, type and name are null in the later fragments of a call (legal)",
        change_steps=_change_later_fragments(_repeat_blank_names(None)),
    ),
    Variation(
        "same-index",
        "all calls have the index 0 and start with an id of their own, as Ollama and Gemini's "
        "bridges send them (not within OpenAI's specification)",
        change_steps=_change_fragments(lambda fragment: {**fragment, "index": 0}),
        departs_in=EVERYWHERE,
        misfit=_needs_index,
    ),
    Variation(
        "no-index",
        "calls have no index and start with an id of their own (not within OpenAI's specification)",
        change_steps=_change_fragments(_remove_index),
        departs_in=EVERYWHERE,
        misfit=_needs_index,
    ),
    Variation(
        "no-type",
        "calls have no type, as Mistral sends them (not within OpenAI's specification)",
        change_steps=_change_fragments(_remove_type),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "index-from-one",
        "the indexes of calls start at 1, as Claude's did behind gateways (not within OpenAI's "
        "specification)",
        change_steps=_change_fragments(_count_from_one),
        departs_in=EVERYWHERE,
        misfit=_raw_calls,
    ),
    Variation(
        "arguments-at-once",
        "a call is sent in one fragment, with its name and arguments (legal), as by Gemini's "
        "bridges",
        change_steps=_join_fragments,
        misfit=_cannot_be_joined,
    ),
)
