"""Variations of the fragments of tool calls: their index, id, type and name, and their size.

By the protocol, the index says which call a fragment belongs to, and only the first fragment has
the id, type and name. A variation that removes the index needs calls that do not interleave, each
with its own id.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mockserver.dialects.chat.chunks import calls, choices, index
from mockserver.dialects.chat.variations.steps import departing, each_choice, is_chunk
from mockserver.foundation.json_fields import mapping, omit, text
from mockserver.scenario.script import Raw
from mockserver.wire.event import Change, Data, Step, events_in
from mockserver.wire.variation import Variation

_NAMES = ("id", "type")
_Key = tuple[int, Any]


def _change_fragments(change: Callable[[int, Data], Data]) -> Change:
    """Apply ``change`` to every fragment of a call; it takes the index of the choice, too."""

    def change_calls(choice: Data) -> Data:
        delta = mapping(choice.get("delta"))
        if not isinstance(found := delta.get("tool_calls"), list):
            return choice
        changed = [change(index(choice), one) if mapping(one) else one for one in found]
        return {**choice, "delta": {**delta, "tool_calls": changed}}

    return each_choice(change_calls)


def _change_later_fragments(change: Callable[[Data, Data], Data]) -> Change:
    """Apply ``change`` to every fragment of a call but the first.

    ``change`` takes the fragment, and the id, type and name from the earlier fragments.
    """

    def change_steps(steps: Sequence[Step]) -> Sequence[Step]:
        begun: dict[_Key, Data] = {}

        def change_fragment(choice: int, fragment: Data) -> Data:
            if not isinstance(at := fragment.get("index"), int):
                return fragment
            known = begun.get((choice, at))
            named = {name: fragment[name] for name in _NAMES if fragment.get(name)}
            if name := mapping(fragment.get("function")).get("name"):
                named["name"] = name
            begun[choice, at] = (known or {}) | named
            return fragment if known is None else change(fragment, known)

        return _change_fragments(change_fragment)(steps)

    return change_steps


def _repeat_names(fragment: Data, known: Data) -> Data:
    named = {"name": known["name"]} if "name" in known else {}
    outer = {name: known[name] for name in _NAMES if name in known}
    return {**outer, **fragment, "function": {**named, **mapping(fragment.get("function"))}}


def _repeat_type(fragment: Data, known: Data) -> Data:
    return {"type": known["type"], **fragment} if "type" in known else fragment


def _repeat_blank_names(fragment: Data, _known: Data) -> Data:
    function = {"name": "", **mapping(fragment.get("function"))}
    return {"id": "", **fragment, "function": function}


def _repeat_null_names(fragment: Data, _known: Data) -> Data:
    function = {"name": None, **mapping(fragment.get("function"))}
    return {"id": None, "type": None, **fragment, "function": function}


def _count_from_one(_choice: int, fragment: Data) -> Data:
    at = fragment.get("index")
    return {**fragment, "index": at + 1} if isinstance(at, int) else fragment


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


def _join_fragments(steps: Sequence[Step]) -> Sequence[Step]:
    """Join the fragments of each call into one, at the place of the last fragment."""
    joined: dict[_Key, Data] = {}
    left: Counter[_Key] = Counter()
    for at, fragment in _fragments(steps):
        key = at, fragment.get("index")
        joined[key] = _join(joined.get(key, {}), fragment)
        left[key] += 1

    def change_choice(choice: Data) -> Data:
        delta = mapping(choice.get("delta"))
        if not calls(delta):
            return choice
        keys = [(index(choice), call.get("index")) for call in calls(delta)]
        left.subtract(keys)
        ended = [joined[key] for key in dict.fromkeys(keys) if not left[key]]
        kept = omit(delta, ("tool_calls",))
        return {**choice, "delta": {**kept, "tool_calls": ended} if ended else kept}

    changed = each_choice(change_choice)(steps)
    return [step for step in changed if not is_chunk(step) or _has_content(step.data["choices"])]


def _join(before: Data, fragment: Data) -> Data:
    known, new = mapping(before.get("function")), mapping(fragment.get("function"))
    arguments = text(known.get("arguments")) + text(new.get("arguments"))
    return {**fragment, **before, "function": {**new, **known, "arguments": arguments}}


def _has_content(found: list[Any]) -> bool:
    """Whether a choice of a chunk has a delta or a finish reason, or there is no choice at all."""
    known = [mapping(choice) for choice in found]
    return not found or any(each.get("delta") or each.get("finish_reason") for each in known)


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
    departing(
        "blank-names",
        "id and name are empty in the later fragments of a call",
        _change_later_fragments(_repeat_blank_names),
    ),
    Variation(
        "null-names",
        "id, type and name are null in the later fragments of a call (legal)",
        change_steps=_change_later_fragments(_repeat_null_names),
    ),
    departing(
        "same-index",
        "all calls have the index 0 and start with an id of their own, as Ollama and Gemini's "
        "bridges send them",
        _change_fragments(lambda _, fragment: {**fragment, "index": 0}),
        misfit=_needs_index,
    ),
    departing(
        "no-index",
        "calls have no index and start with an id of their own",
        _change_fragments(lambda _, fragment: omit(fragment, ("index",))),
        misfit=_needs_index,
    ),
    departing(
        "no-type",
        "calls have no type, as Mistral sends them",
        _change_fragments(lambda _, fragment: omit(fragment, ("type",))),
    ),
    departing(
        "index-from-one",
        "the indexes of calls start at 1, as Claude's did behind gateways",
        _change_fragments(_count_from_one),
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
