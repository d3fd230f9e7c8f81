"""Rules on the items of OpenAI's tools: their lifecycles, their texts and their fields.

They hold for the types with the vendor's prefix ``openai:``, as the specification wants it, and
without, as api.openai.com sends them.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from conformance.dialects.openresponses.lifecycles import HOSTED
from conformance.dialects.openresponses.stream import Event, Item, Stream, joined_deltas
from conformance.dialects.state_machine import walk
from conformance.dialects.text_versions import TextVersion, first_difference
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from conformance.findings.values import ItemValue, SchemaError, TextDifference
from mockserver.dialects.openresponses.openai_types import (
    EVENTS,
    ITEMS,
    STREAMED,
    StreamedText,
    unprefixed,
)
from mockserver.foundation.json_fields import listed, mapping
from mockserver.foundation.schemas import deepest, errors_of, validator

_TEXTUAL = frozenset({"added", "delta", "complete", "partial"})


def _own_type(item: Item) -> str:
    return unprefixed(item.type)


class NotAdded(Kind):
    """An event is about an item that was not added."""

    type: str
    index: Any

    message = "{type} is about the item at index {index!r}, where none was added before"
    right = "response.output_item.added before the events of an item"
    same_by = ("type",)


class WrongItem(Kind):
    """An event is about an item of another type than those that have such events."""

    type: str
    item: ItemValue
    right_type: str

    message = "{type} is about {item:item}"
    right = "an item of the type {right_type!r}"
    same_by = ("type", "item.type")


class OutOfOrder(Kind):
    """A step of an item comes too early, too late or too often."""

    type: str
    item: ItemValue
    after: tuple[str, ...]
    steps: tuple[str, ...]

    message = "{type} of {item:item} comes [[after '{after:or}'|at first]]"
    right = "the steps {steps:list}"
    same_by = ("type", "after")


class WrongImageIndex(Kind):
    """Partial images are not counted from 0."""

    number: int
    item: ItemValue
    index: int

    message = "partial image number {number} of {item:item} has the index {index}"
    right = "the indexes 0, 1, 2, …"


@rule(
    holds="the events of an item of OpenAI's tools come after it was added, a text before its "
    "complete form; progress is reported in order (should)",
    source="openai; observed",
    kinds=(NotAdded, WrongItem, OutOfOrder, WrongImageIndex),
)
def hosted_lifecycle(stream: Stream) -> Iterator[Defect]:
    for event in stream.unplaced:
        yield Defect(
            NotAdded(event.type, event.data.get("output_index")),
            about=topics("unplaced"),
            event=event.n,
            needs=topics(f"event:{event.n}", f"foreign:event:{event.type}", "lost"),
        )
    for item in stream.items.values():
        events = [event for event in item.events if event.own]
        foreign = next((e for e in events if e.own and e.own.item != _own_type(item)), None)
        if foreign and foreign.own and item.type:
            kind = WrongItem(foreign.type, item.value, foreign.own.item)
            yield item.defect(kind, foreign.n, "hosted:", "item: index: lost")
        elif item.type in ("compaction", *ITEMS) or unprefixed(item.type) in ITEMS:
            yield from _out_of_order(item, events)
            yield from _partial_images(item, events)


def _out_of_order(item: Item, events: list[Event]) -> Iterator[Defect]:
    """The first step of each lifecycle that comes too late or too often."""
    machine = HOSTED.get(_own_type(item))
    if machine is None:
        return
    by_command: defaultdict[int | None, list[tuple[str, Event]]] = defaultdict(list)
    for event in events:
        if event.own:
            by_command[event.index("command_index")].append((event.own.step, event))
    for steps in by_command.values():
        if breach := walk(machine, steps).breach:
            after = tuple(breach.state.split("|")) if breach.state else ()
            right = tuple(filter(None, machine))
            kind = OutOfOrder(breach.event.type, item.value, after, right)
            level: Level = "must" if breach.step in _TEXTUAL else "should"
            yield item.defect(kind, breach.event.n, "hosted:", level=level)


def _partial_images(item: Item, events: list[Event]) -> Iterator[Defect]:
    partial = [event for event in events if event.own and event.own.step == "partial"]
    for n, event in enumerate(partial):
        if (index := event.index("partial_image_index")) is not None and index != n:
            kind = WrongImageIndex(n + 1, item.value, index)
            yield item.defect(kind, event.n, "partial:", "item: hosted:", "should")
            return


class TextsDiffer(Kind):
    """Two events have different versions of one text of an item."""

    field: str
    item: ItemValue
    difference: TextDifference

    message = "the {field} of {item:item}: {difference:difference}"
    right = "the same {field} everywhere: the deltas joined"
    same_by = ("item.type", "difference.source", "difference.other_source")


@rule(
    holds="the code, diff, input, arguments or command of an item of OpenAI's tools is the same in "
    "the deltas joined, its complete event, the finished item and the final response",
    source="openai; observed",
    kinds=(TextsDiffer,),
)
def hosted_sums(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for name, versions in _texts(stream, item):
            if wrong := first_difference(versions):
                event, difference = wrong
                kind = TextsDiffer(name, item.value, difference)
                yield item.defect(kind, event, "hosted-text:", "item: hosted: unplaced lost")


def _texts(stream: Stream, item: Item) -> Iterator[tuple[str, list[TextVersion]]]:
    """Each streamed text of an item by name, in all its versions."""
    own = _own_type(item)
    for text in STREAMED.values():
        if text.item == own:
            yield text.complete, list(_versions(stream, item, text))
    if own == "shell_call":
        yield from _commands(stream, item)


def _versions(stream: Stream, item: Item, text: StreamedText) -> Iterator[TextVersion]:
    begun = _at(item.added.item, text.path) if item.added else ""
    yield from _joined(_of_step(item, "delta"), begun)
    for event in _of_step(item, "complete"):
        yield from event.versions(event.data.get(text.complete))
    for event, held in stream.finished(item):
        yield from event.versions(_at(held, text.path))


def _commands(stream: Stream, item: Item) -> Iterator[tuple[str, list[TextVersion]]]:
    complete = _of_step(item, "complete")
    for n in sorted({n for e in complete if (n := e.index("command_index")) is not None}):
        versions = _joined([e for e in _of_step(item, "delta") if _is_of(e, n)])
        for event in complete:
            if _is_of(event, n):
                versions += event.versions(event.data.get("command"))
        for event, held in stream.finished(item):
            commands = listed(mapping(held.get("action")).get("commands"))
            versions += event.versions(commands[n] if n < len(commands) else "")
        yield f"command {n}", versions


def _is_of(event: Event, n: int) -> bool:
    return event.index("command_index") == n


def _of_step(item: Item, step: str) -> list[Event]:
    return [event for event in item.events if event.own and event.own.step == step]


def _joined(deltas: list[Event], begun: object = "") -> list[TextVersion]:
    """The deltas joined to one version; none if there are no deltas, or if one cannot be read."""
    can_be_read = all(event.text("delta") is not None for event in deltas)
    return joined_deltas(deltas, begun) if can_be_read else []


def _at(item: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        item = mapping(item).get(name)
    return item


_CONTRACT = "events/openai-responses"


class WrongFields(Kind):
    """An event or item of OpenAI's own types does not have the fields of its type."""

    type: str
    error: SchemaError
    more: int

    message = "{type}: [[{error.place}: ]]{error.says}[[ (and in {more} more)]]"
    right = "the fields of its type at OpenAI"
    same_by = ("type", "error.pattern")


@rule(
    holds="events and items of OpenAI's own types have the fields that OpenAI's types have",
    source="openai",
    level="should",
    kinds=(WrongFields,),
)
def hosted_types(stream: Stream) -> Iterator[Defect]:
    found: dict[str, list[tuple[Event, SchemaError]]] = {}
    for event in stream.events:
        for type_, error in _errors_in(event):
            found.setdefault(type_, []).append((event, error))
    for type_, errors in found.items():
        event, error = errors[0]
        yield Defect(
            WrongFields(type_, error, len(errors) - 1),
            about=topics(f"hosted-type:{type_}"),
            event=event.n,
            needs=topics(f"event:{event.n}"),
        )


def _errors_in(event: Event) -> Iterator[tuple[str, SchemaError]]:
    """The first error of an event and of its item, by their types."""
    type_ = unprefixed(event.type, "response.")
    if type_ in EVENTS:
        yield from _errors(f"event:{type_}", event.type, {**event.data, "type": type_})
    item = unprefixed(str(event.item.get("type", "")))
    if item in ITEMS and event.category == "item":
        yield from _errors(f"item:{item}", item, {**event.item, "type": item})


def _errors(definition: str, type_: str, value: Any) -> Iterator[tuple[str, SchemaError]]:
    error = next(iter(errors_of(validator(_CONTRACT, definition=definition), value)), None)
    if error:
        inner = deepest(error)
        yield type_, SchemaError(error.json_path, str(inner.validator), inner.message)
