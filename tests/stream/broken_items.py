"""Broken items: how they are announced, counted, identified and completed."""

from __future__ import annotations

from tests.stream import (
    CUT_CALL,
    FIRST,
    INCOMPLETE,
    LEGAL,
    MESSAGE,
    OUTPUT,
    REASONING,
    SECOND,
    SHORT,
    Change,
    Events,
    Json,
    added,
    arguments,
    arguments_done,
    call,
    done,
    lifecycle,
)
from tests.stream.broken import Broken
from tests.stream.changes import after, again, both, drop, drop_all, edit, edit_all, swap

_ADDED, _DONE = "output_item.added", "output_item.done"
_DELTA = LEGAL[11]
_THIRD = call(3, "{}")


def _rotated(events: Events) -> Events:
    """Each event has another id for its item and its response."""
    return [_renamed(event, f"opaque-{n}") for n, event in enumerate(events)]


def _renamed(event: Json, fresh: str) -> Json:
    if "item_id" in event:
        return {**event, "item_id": fresh}
    if "item" in event:
        return {**event, "item": {**event["item"], "id": fresh}}
    output = [{**item, "id": f"{fresh}-{n}"} for n, item in enumerate(event["response"]["output"])]
    return {**event, "response": {**event["response"], "id": fresh, "output": output}}


def _final(*items: Json) -> Change:
    return edit("completed", response={"output": list(items)})


def _complete_call(index: int, n: int) -> Events:
    """Call ``n`` from its announcement to its end, at another index."""
    item = call(n, "{}")
    return [
        added(index, item),
        {**arguments_done(n, "{}"), "output_index": index},
        done(index, item),
    ]


ANNOUNCED = (
    Broken("noitem", "item-announced", drop_all(_ADDED, _DONE), times=4),
    Broken("an item is not announced", "item-announced", drop(_ADDED, 1)),
    Broken("a part comes before its item", "item-announced", swap(_ADDED, 1)),
    Broken(
        "arguments before the item",
        "item-announced",
        lambda events: [*events[:22], *arguments(1, ""), *events[22:]],
    ),
    Broken(
        "nullitem", "item-announced", both(edit(_ADDED, 1, item=None), edit(_DONE, 1, item=None))
    ),
    Broken("a call without a name", "item-announced", edit(_ADDED, 2, item={"name": ""})),
    Broken(
        "an item of the final response only",
        "item-announced",
        _final(*OUTPUT, _THIRD),
    ),
    Broken(
        "onlycompleted",
        "item-announced",
        lambda events: events[-1:],
        also=("stream-lifecycle",),
    ),
    Broken(
        "a message is added as completed",
        "item-announced",
        edit(_ADDED, 1, item={"status": "completed"}),
        level="should",
    ),
    Broken(
        "a call is added with its arguments",
        "item-announced",
        both(
            edit(_ADDED, 2, item={"arguments": FIRST}),
            drop("function_call_arguments.delta", 0),
            drop("function_call_arguments.delta", 2),
        ),
        level="should",
    ),
)

COUNTED = (
    Broken("every item of a long answer has the index 0", "index-stable", edit_all(output_index=0)),
    Broken(
        "another call stands in the final response",
        "index-stable",
        _final(*OUTPUT[:2], call(9, "{}"), OUTPUT[3]),
    ),
    Broken(
        "an incomplete response leaves an item out",
        "index-stable",
        edit("incomplete", response={"output": INCOMPLETE[-1]["response"]["output"][:1]}),
        of=tuple(INCOMPLETE),
    ),
    Broken("emptyoutput", "index-stable", _final()),
    Broken("the final response leaves an item out", "index-stable", _final(*OUTPUT[:-1])),
    Broken("the final response is in another order", "index-stable", _final(*reversed(OUTPUT))),
    Broken(
        "two calls change places in the final response",
        "index-stable",
        _final(REASONING, MESSAGE, call(2, SECOND), call(1, FIRST)),
    ),
    Broken("an index is given twice", "index-stable", after(_DONE, -1, *_complete_call(3, 3))),
    Broken(
        "every item has the index 0",
        "index-stable",
        edit_all(output_index=0),
        of=tuple(INCOMPLETE),
    ),
    Broken(
        "a delta has the index of no item",
        "index-stable",
        edit("output_text.delta", output_index=7),
    ),
    Broken("an item is done at another index", "index-stable", edit(_DONE, 1, output_index=5)),
    Broken(
        "an index is left out",
        "index-stable",
        both(after(_DONE, -1, *_complete_call(5, 3)), _final(*OUTPUT, _THIRD)),
    ),
    Broken("indexes go down", "index-stable", swap(_ADDED, 2), level="should"),
)

LIVED = (
    Broken("an item is added twice", "item-lifecycle", again(_ADDED, 1)),
    Broken("an item is done twice", "item-lifecycle", again(_DONE, 1)),
    Broken("a delta after its item was done", "item-lifecycle", after(_DONE, 1, _DELTA)),
    Broken("a part closes after its item", "item-lifecycle", swap("content_part.done", 1)),
    Broken(
        "an item is added again when it was done",
        "item-lifecycle",
        after(_DONE, 1, added(1, MESSAGE)),
    ),
)

NAMED = (
    Broken("wrongitemid", "item-id-stable", edit_all("output_text.delta", item_id="msg_other")),
    Broken(
        "an item is done under another id", "item-id-stable", edit(_DONE, 1, item={"id": "msg_2"})
    ),
    Broken(
        "the final response has another id",
        "item-id-stable",
        edit("completed", response={"output": {1: {"id": "msg_2"}}}),
    ),
    Broken("copilot", "item-id-stable", _rotated, times=4, also=("response-stable",)),
    Broken(
        "a call changes its name",
        "item-identity",
        edit(_DONE, 2, item={"name": "find"}),
        level="should",
    ),
    Broken(
        "a call changes its call_id",
        "item-identity",
        edit(_ADDED, 2, item={"call_id": "call_x"}),
        level="should",
    ),
    Broken(
        "one id for two items",
        "item-id-stable",
        both(
            lambda events: [_with_id(event, "fc_2", "fc_1") for event in events],
            edit("completed", response={"output": {3: {"id": "fc_1"}}}),
        ),
    ),
)


def _with_id(event: Json, old: str, new: str) -> Json:
    """The event with another id for its item."""
    if event.get("item_id") == old:
        return {**event, "item_id": new}
    if event.get("item", {}).get("id") == old:
        return {**event, "item": {**event["item"], "id": new}}
    return event


def _cut_early(events: Events) -> Events:
    """Adds an item after a call that was cut off."""
    item = call(4, "{}")
    whole = [added(3, item), {**arguments_done(4, "{}"), "output_index": 3}, done(3, item)]
    reasoning = INCOMPLETE[-1]["response"]["output"][0]
    return [*events[:-1], *whole, lifecycle("incomplete", [reasoning, SHORT, CUT_CALL, item])]


FINISHED = (
    Broken("an item is never done", "items-finished", drop(_DONE, 1)),
    Broken(
        "the last item is never done", "items-finished", lambda events: [*events[:-4], events[-1]]
    ),
    Broken(
        "incompleteitem",
        "items-finished",
        both(
            edit(_DONE, 3, item={"status": "incomplete"}),
            edit("completed", response={"output": {3: {"status": "incomplete"}}}),
        ),
    ),
    Broken(
        "an incomplete item is not the last", "items-finished", _cut_early, of=tuple(INCOMPLETE)
    ),
    Broken(
        "the item that is cut short is not done",
        "items-finished",
        drop(_DONE, -1),
        level="should",
        of=tuple(INCOMPLETE),
    ),
    Broken(
        "the item that is cut short is neither done nor in the final response",
        "items-finished",
        both(
            drop(_DONE, -1),
            edit("incomplete", response={"output": INCOMPLETE[-1]["response"]["output"][:2]}),
        ),
        level="should",
        of=tuple(INCOMPLETE),
    ),
    Broken(
        "the final response has another status",
        "output-final",
        edit("completed", response={"output": {1: {"status": "incomplete"}}}),
        level="should",
    ),
    Broken(
        "the final response has no citations",
        "output-final",
        edit("completed", response={"output": {1: {"content": {0: {"annotations": []}}}}}),
        level="should",
    ),
)

ITEMS = (*ANNOUNCED, *COUNTED, *LIVED, *NAMED, *FINISHED)
