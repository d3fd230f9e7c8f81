"""Fields of Responses events that are sent otherwise than their author has probably meant.

What is left out is filled in, so a field in the wrong place is sent beside another value of the
same meaning; and an index or an id that no item has is sent with others that were made up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.dialects.checks import Written, known_fields, warn_about_unknown, written
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.checks import find_misspelt_fields
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES
from mockserver.dialects.openresponses.profiles import PROFILES
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.json_fields import integer, mapping
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event, Step

_CONTRACT, _OPENAI = "events/openresponses", "events/openai-responses"

_PARTS = ("text", "output_text", "refusal")
_ADDED, _DONE = "response.output_item.added", "response.output_item.done"
_ITEMS = (_ADDED, _DONE)
_PART_INDEXES = ("content_index", "summary_index")
_FLAT_ERROR = known_fields(_CONTRACT, "FlatError")


def warn(script: Sends, sent: Sequence[Step]) -> Iterator[LintWarning]:
    """The fields of a script that are probably meant otherwise; ``sent`` are its events."""
    so_far = _SoFar()
    for n, (step, event) in enumerate(zip(script.steps, sent, strict=True)):
        known = written(step, event)
        if known and (known.type in GROUPS or known.type in openai_types.EVENTS):
            yield from (replace(warning, step=n) for warning in _warn_of_step(known, so_far))
        if isinstance(step, Send) and isinstance(event, Event):
            yield from so_far.numbers(n, step, event)


def _warn_of_step(step: Written, so_far: "_SoFar") -> Iterator[LintWarning]:
    found = [
        *_warn_of_misplaced(step),
        *_warn_of_sibling(step),
        *so_far.items(step),
        *_warn_of_totals(step),
    ]
    yield from found
    yield from _warn_of_unknown(step, {each.path for each in found})


def _warn_of_unknown(step: Written, warned: set[tuple[str | int, ...]]) -> Iterator[LintWarning]:
    """Other fields that no schema has, but for those that are also written where they belong."""
    inner, _ = _find_inner(step.type)
    both = {(name,) for name in mapping(step.given.get(inner))}
    wrong = {path for path, _ in find_misspelt_fields(step.type, step.given)}
    contracts, kind = (_CONTRACT, _OPENAI), f"event:{step.type}"
    yield from warn_about_unknown(step, contracts, kind, warned | both | wrong, PROFILES)


def _event_fields(type_: str) -> frozenset[str]:
    contract = _OPENAI if type_ in openai_types.EVENTS else _CONTRACT
    return known_fields(contract, f"event:{type_}")


def _warn_of_misplaced(step: Written) -> Iterator[LintWarning]:
    """Fields that belong in an object of the event."""
    inner, fields = _find_inner(step.type)
    own = _event_fields(step.type) - {"type"}
    for name in step.fields:
        if name in fields - own and name not in mapping(step.given.get(inner)):
            message = f"{name!r} is sent beside {inner!r}, not as a field of it"
            yield LintWarning((name,), message, f"write {inner}: {{{name}: …}}")
    if "index" in step.fields.keys() - own and "output_index" in own:
        message = "'index' is sent beside 'output_index', which says whose event it is"
        yield LintWarning(("index",), message, "write output_index: …")
    if inner == "response" and "reason" in step.fields:
        message = "'reason' is sent beside 'response', which has a reason of its own"
        hint = "write response: {incomplete_details: {reason: …}}"
        yield LintWarning(("reason",), message, hint)
    flat = _FLAT_ERROR & step.fields.keys()
    if step.type == "error" and flat and "error" not in step.given:
        name = next(name for name in step.fields if name in flat)
        hint = f"write error: {{{name}: …}}; for the flat form add absent: [error]"
        yield LintWarning((name,), f"{name!r} is sent beside 'error', which has its own", hint)


def _find_inner(type_: str) -> tuple[str, frozenset[str]]:
    """The object of an event that has most of its content, and the fields of that object."""
    if GROUPS.get(type_) == "lifecycle":
        return "response", known_fields(_CONTRACT, "Response")
    if type_ in _ITEMS:
        own = [known_fields(_CONTRACT, f"item:{each}") for each in ITEM_TYPES]
        others = [known_fields(_OPENAI, f"item:{each}") for each in openai_types.ITEMS]
        return "item", frozenset({"type"}).union(*own, *others)
    if "part" in _event_fields(type_):
        parts = [known_fields(_CONTRACT, f"part:{each}") for each in _PARTS]
        return "part", frozenset({"type"}).union(*parts)
    return "", frozenset()


def _warn_of_sibling(step: Written) -> Iterator[LintWarning]:
    """The text of a done event in a delta, or the other way round."""
    own, other = _texts(step.type)
    if other in step.fields and own not in step.given and own in step.data:
        message = f"{other!r} is sent beside {own!r}, which is {step.data[own]!r}"
        yield LintWarning((other,), message, f"write {own}: …; or add absent: [{own}]")


def _texts(type_: str) -> tuple[str, str]:
    """The field with the text of an event, and that of its delta or its done event."""
    stem, _, last = type_.rpartition(".")
    if last not in ("delta", "done"):
        return "", ""
    done = next(iter(_event_fields(f"{stem}.done") - _event_fields(f"{stem}.delta")), "")
    return ("delta", done) if last == "delta" else (done, "delta")


def _warn_of_totals(step: Written) -> Iterator[LintWarning]:
    """Token counts whose sum is that of the counts which would be filled in."""
    used = mapping(mapping(step.given.get("response")).get("usage"))
    counts = [name for name in ("input_tokens", "output_tokens") if name in used]
    if not counts or "total_tokens" in used:
        return
    sent = mapping(mapping(step.data.get("response")).get("usage"))
    one, other, total = map(sent.get, ("input_tokens", "output_tokens", "total_tokens"))
    if isinstance(one, int) and isinstance(other, int) and one + other != total:
        message = f"'total_tokens' is sent as {total}, and the counts are {one} and {other}"
        yield LintWarning(("response", "usage", counts[0]), message, "write total_tokens, too")


@dataclass
class _SoFar:
    """The items and the numbers that were sent so far.

    ``ids`` and ``open`` are the ids and the types of items by their output index, ``open`` of those
    that are not done. ``spoken`` are the indexes of items that have sent text. ``given`` is the
    last number that the scenario itself has set: its step, and the number.
    """

    ids: dict[Any, Any] = field(default_factory=dict)
    open: dict[Any, Any] = field(default_factory=dict)
    spoken: set[Any] = field(default_factory=set)
    given: tuple[int, int] | None = None

    def items(self, step: Written) -> Iterator[LintWarning]:
        """Warnings about the item that an event belongs to."""
        data = step.data
        index, item = data.get("output_index"), mapping(data.get("item"))
        if not isinstance(index, int):
            return
        if step.type in _ITEMS:
            self.ids[index] = item.get("id")
            self.open[index] = item.get("type")
            if step.type == _DONE:
                del self.open[index]
        elif "item_id" in _event_fields(step.type):
            yield from self._warn_of_unknown(step)
            yield from self._warn_of_empty(step)
            if data.get("delta"):
                self.spoken.add(index)

    def _warn_of_unknown(self, step: Written) -> Iterator[LintWarning]:
        """Indexes and ids that no item has: the other of both is made up."""
        data, by = step.data, {"item_id", "output_index"} & step.given.keys()
        index, id_ = data["output_index"], data.get("item_id")
        if not by and "call_id" in step.fields:
            message = f"'call_id' finds no item: the event is sent for {id_!r}"
            yield LintWarning(("call_id",), message, "write output_index or item_id")
        elif not by and [*self.open.values()].count(self.open.get(index, "")) > 1:
            message = f"several items are open: the event is sent for the last one, {id_!r}"
            yield LintWarning((), message, "write output_index or item_id")
        elif by == {"output_index"} and index not in self.ids:
            message = f"no item has the output_index {index}: item_id is sent as {id_!r}"
            hint = "items are counted from 0; to send it on purpose write item_id, too"
            yield LintWarning(("output_index",), message, hint)
        elif by == {"item_id"} and isinstance(id_, str) and id_ not in self.ids.values():
            message = f"no item has the id {id_!r}: output_index is sent as {index}"
            hint = "correct the id; to send it on purpose write output_index, too"
            yield LintWarning(("item_id",), message, hint)

    def _warn_of_empty(self, step: Written) -> Iterator[LintWarning]:
        """The end of a part that has no text, in an item that has."""
        data, (own, _) = step.data, _texts(step.type)
        named = [name for name in _PART_INDEXES if name in step.fields]
        empty = step.type.endswith(".done") and own not in step.given and data.get(own) == ""
        if named and empty and data["output_index"] in self.spoken:
            message = f"no text was sent for {named[0]} {data[named[0]]}: {own!r} is sent as ''"
            yield LintWarning((named[0],), message, f"write the index of its deltas, or {own}: …")

    def numbers(self, n: int, step: Send, event: Event) -> Iterator[LintWarning]:
        """A number after which those that are filled in do not go on."""
        number = integer(mapping(event.data).get("sequence_number"))
        if "sequence_number" in step.fields:
            self.given = None if number is None else (n, number)
        elif self.given and number is not None:
            step_of, before = self.given
            self.given = None
            if number <= before:
                message = f"the event after it is sent with sequence_number {number}"
                hint = "numbers that are left out count events from 0: write the later ones, too"
                yield LintWarning(("sequence_number",), message, hint, step_of)
