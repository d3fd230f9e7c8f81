"""Rules on the items of OpenAI's tools: their lifecycles, their texts and their fields.

They hold for the types with the vendor's prefix ``openai:``, as the specification wants it, and
without, as api.openai.com sends them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from conformance.dialects.openresponses.lifecycles import HOSTED
from conformance.dialects.state_machine import walk
from conformance.dialects.text_versions import TextVersion, first_difference, joined
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from mockserver.dialects.openresponses.openai_types import (
    EVENTS,
    ITEMS,
    STREAMED,
    StreamedText,
    unprefixed,
)
from mockserver.foundation.json_fields import listed, mapping
from mockserver.foundation.schemas import deepest, errors_of, validator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream

_TEXTUAL = frozenset({"added", "delta", "complete", "partial"})


def _own_type(item: Item) -> str:
    return unprefixed(item.type)


def _lifecycle(stream: Stream) -> Iterator[Defect]:
    """The events of an item come in the order of its lifecycle, after it was added."""
    for event in stream.unplaced:
        yield prose_defect(
            f"{event.type} is about the item at index {event.data.get('output_index')!r}, where "
            "none was added before",
            right="response.output_item.added before the events of an item",
            about=topics("unplaced"),
            event=event.n,
            needs=topics(f"event:{event.n}", f"foreign:the event type {event.type!r}", "lost"),
        )
    for item in stream.items.values():
        events = [event for event in item.events if event.own]
        foreign = next((e for e in events if e.own and e.own.item != _own_type(item)), None)
        if foreign and item.type:
            yield _of_another_item(item, foreign)
        elif item.type in ("compaction", *ITEMS) or unprefixed(item.type) in ITEMS:
            yield from _out_of_order(item, events)
            yield from _partial_images(item, events)


def _of_another_item(item: Item, event: Event) -> Defect:
    assert event.own
    return prose_defect(
        f"{event.type} is about {item}",
        right=f"an item of the type {event.own.item!r}",
        about=topics(f"hosted:{item.index}"),
        event=event.n,
        needs=topics(f"item:{item.index}", f"index:{item.index}", "lost"),
    )


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
            where = f"after {breach.state.replace('|', ' or ')!r}" if breach.state else "at first"
            yield prose_defect(
                f"{breach.event.type} of {item} comes {where}",
                right="the steps " + ", ".join(name for name in machine if name),
                about=topics(f"hosted:{item.index}"),
                event=breach.event.n,
                level="must" if breach.step in _TEXTUAL else "should",
                needs=topics(f"item:{item.index}", "lost"),
            )


def _partial_images(item: Item, events: list[Event]) -> Iterator[Defect]:
    partial = [event for event in events if event.own and event.own.step == "partial"]
    for n, event in enumerate(partial):
        if (index := event.index("partial_image_index")) is not None and index != n:
            yield prose_defect(
                f"partial image number {n + 1} of {item} has the index {index}",
                right="the indexes 0, 1, 2, …",
                about=topics(f"partial:{item.index}"),
                event=event.n,
                level="should",
                needs=topics(f"item:{item.index}", f"hosted:{item.index}"),
            )
            return


HOSTED_LIFECYCLE = Rule(
    id="hosted-lifecycle",
    holds="the events of an item of OpenAI's tools come after it was added, a text before its "
    "complete form; progress is reported in order (should)",
    source="openai; observed",
    check=_lifecycle,
)


def _sums(stream: Stream) -> Iterator[Defect]:
    """Code, diffs, inputs and commands are the same in deltas, complete events and items."""
    for item in stream.items.values():
        for name, versions in _texts(stream, item):
            if wrong := first_difference(versions):
                version, how = wrong
                yield prose_defect(
                    f"the {name} of {item}: {how}",
                    right=f"the same {name} everywhere: the deltas joined",
                    about=topics(f"hosted-text:{item.index}"),
                    event=version.event,
                    needs=topics(f"item:{item.index}", f"hosted:{item.index}", "unplaced", "lost"),
                )


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
    yield from _joined(_of_step(item, "delta"), begun if isinstance(begun, str) else "")
    for event in _of_step(item, "complete"):
        yield from _version(event, event.data.get(text.complete))
    for event, held in _finished(stream, item):
        yield from _version(event, _at(held, text.path))


def _commands(stream: Stream, item: Item) -> Iterator[tuple[str, list[TextVersion]]]:
    complete = _of_step(item, "complete")
    for n in sorted({n for e in complete if (n := e.index("command_index")) is not None}):
        versions = list(_joined([e for e in _of_step(item, "delta") if _is_of(e, n)], ""))
        for event in complete:
            if _is_of(event, n):
                versions += _version(event, event.data.get("command"))
        for event, held in _finished(stream, item):
            commands = listed(mapping(held.get("action")).get("commands"))
            versions += _version(event, commands[n] if n < len(commands) else "")
        yield f"command {n}", versions


def _is_of(event: Event, n: int) -> bool:
    return event.index("command_index") == n


def _of_step(item: Item, step: str) -> list[Event]:
    return [event for event in item.events if event.own and event.own.step == step]


def _joined(deltas: list[Event], begun: str) -> Iterator[TextVersion]:
    """The deltas joined to one version; none if there are no deltas, or if one cannot be read."""
    texts = [text for event in deltas if (text := event.text("delta")) is not None]
    if deltas and len(texts) == len(deltas):
        yield TextVersion(deltas[-1].n, "the sum of the deltas", joined([begun, *texts]))


def _finished(stream: Stream, item: Item) -> Iterator[tuple[Event, Any]]:
    """The finished item and its copy in the final response, each with the event that has it."""
    if item.done:
        yield item.done, item.done.item
    if (held := stream.final(item)) and stream.terminal:
        yield stream.terminal, held


def _at(item: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        item = mapping(item).get(name)
    return item


def _version(event: Event, text: Any) -> Iterator[TextVersion]:
    if isinstance(text, str):
        yield TextVersion(event.n, event.type, text)


HOSTED_SUMS = Rule(
    id="hosted-sums",
    holds="the code, diff, input, arguments or command of an item of OpenAI's tools is the same in "
    "the deltas joined, its complete event, the finished item and the final response",
    source="openai; observed",
    check=_sums,
)


_CONTRACT = "events/openai-responses"


def _types(stream: Stream) -> Iterator[Defect]:
    """Events and items have the fields of their types at OpenAI; one defect for each type."""
    found: dict[str, tuple[Event, str, int]] = {}
    for event in stream.events:
        for type_, message in _departures(event):
            first, said, times = found.get(type_, (event, message, 0))
            found[type_] = first, said, times + 1
    for type_, (event, message, times) in found.items():
        more = f" (and in {times - 1} more)" if times > 1 else ""
        yield prose_defect(
            f"{type_}: {message}{more}",
            right="the fields of its type at OpenAI",
            about=topics(f"hosted-type:{type_}"),
            event=event.n,
            needs=topics(f"event:{event.n}"),
        )


def _departures(event: Event) -> Iterator[tuple[str, str]]:
    type_ = unprefixed(event.type, "response.")
    if type_ in EVENTS:
        yield from _errors(f"event:{type_}", event.type, {**event.data, "type": type_})
    item = unprefixed(str(event.item.get("type", "")))
    if item in ITEMS and event.category == "item":
        yield from _errors(f"item:{item}", item, {**event.item, "type": item})


def _errors(definition: str, type_: str, value: Any) -> Iterator[tuple[str, str]]:
    error = next(iter(errors_of(validator(_CONTRACT, definition=definition), value)), None)
    if error:
        place = ".".join(str(step) for step in error.absolute_path)
        message = deepest(error).message
        yield type_, f"{place}: {message}" if place else message


HOSTED_TYPES = Rule(
    id="hosted-types",
    holds="events and items of OpenAI's own types have the fields that OpenAI's types have",
    source="openai",
    check=_types,
    level="should",
)
