"""A check of the order of an OpenResponses stream, independent of the kit's rules.

It walks over the events of one response and describes what is wrong. Sources: openresponses §
Streaming, § Items, § Errors; the release's transition table.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]
TERMINAL = ("response.completed", "response.failed", "response.incomplete")

# The texts of an item: the type of the field of their index, of their end event, and their list.
TEXTS = {
    "response.output_text": ("content_index", "text", "content"),
    "response.refusal": ("content_index", "refusal", "content"),
    "response.reasoning": ("content_index", "text", "content"),
    "response.reasoning_summary_text": ("summary_index", "text", "summary"),
}
PARTS = {
    "response.content_part": ("content_index", "content"),
    "response.reasoning_summary_part": ("summary_index", "summary"),
}


def breaches(events: list[Event], *, cut: bool = False) -> list[str]:
    """What is wrong with a stream; with ``cut``, a missing ending is right."""
    return [
        *_numbers(events),
        *_lifecycle(events, cut),
        *_items(events, cut),
        *(problem for index in _indexes(events) for problem in _item(_of(events, index), cut)),
    ]


def _numbers(events: list[Event]) -> Iterator[str]:
    if [event["sequence_number"] for event in events] != list(range(len(events))):
        yield "sequence numbers do not count from 0 without gaps"


def _lifecycle(events: list[Event], cut: bool) -> Iterator[str]:
    types = [event["type"] for event in events]
    begun = [type_ for n, type_ in enumerate(types) if (n, type_) != (1, "response.queued")]
    waited = cut and types == ["response.created", "response.queued"]
    if events and not waited and begun[:2] != ["response.created", "response.in_progress"]:
        yield "the response does not begin"
    ends = [n for n, type_ in enumerate(types) if type_ in TERMINAL]
    if ends != ([] if cut else [len(events) - 1]):
        yield "not exactly one ending, at the end"
    for n, type_ in enumerate(types):
        if type_ == "error" and types[n + 1 :] != ["response.failed"]:
            yield "an error is not followed by the failed response"
    responses = [event["response"] for event in events if "response" in event]
    if len({response["id"] for response in responses}) > 1:
        yield "the response changes its id"
    for type_, response in zip((t for t in types if t in _STATUS), responses, strict=True):
        yield from _response(type_, response)


_STATUS = {
    "response.created": "in_progress",
    "response.queued": "queued",
    "response.in_progress": "in_progress",
    "response.completed": "completed",
    "response.failed": "failed",
    "response.incomplete": "incomplete",
}


def _response(type_: str, response: Event) -> Iterator[str]:
    status = _STATUS[type_]
    if (type_, response["status"]) == ("response.created", "queued"):
        status = "queued"
    if response["status"] != status:
        yield f"{type_} has the status {response['status']}"
    if status in ("queued", "in_progress") and (response["output"] or response["usage"]):
        yield f"{type_} has output or usage"
    if (response["error"] is not None) != (status == "failed"):
        yield f"{type_} tells an error, or does not"
    if (response["incomplete_details"] is not None) != (status == "incomplete"):
        yield f"{type_} tells why it is incomplete, or does not"
    if (response["completed_at"] is not None) != (status == "completed"):
        yield f"{type_} tells when it was completed, or does not"
    if status == "completed" and response["usage"] is None:
        yield f"{type_} has no usage"


def _indexes(events: list[Event]) -> list[int]:
    return sorted({event["output_index"] for event in events if "output_index" in event})


def _of(events: list[Event], index: int) -> list[Event]:
    return [event for event in events if event.get("output_index") == index]


def _items(events: list[Event], cut: bool) -> Iterator[str]:
    added = [e for e in events if e["type"] == "response.output_item.added"]
    done = [e for e in events if e["type"] == "response.output_item.done"]
    if [event["output_index"] for event in added] != list(range(len(added))):
        yield "items are not numbered in the order in which they are added"
    for field in ("id", "call_id"):
        values = [event["item"][field] for event in added if field in event["item"]]
        if any(count > 1 for count in Counter(values).values()):
            yield f"two items have the same {field}"
    states = [event["item"]["status"] for event in done if "status" in event["item"]]
    if sorted(states) != states:
        yield "an item is completed after an incomplete one"
    cut_short = [e["output_index"] for e in done if e["item"].get("status") == "incomplete"]
    if any(index != len(added) - 1 for index in cut_short):
        yield "an item that is not the last one is incomplete"
    if cut or not events:
        return
    last = events[-1]
    if last["type"] == "response.completed" and len(done) != len(added):
        yield "the response is completed and its items are not"
    if last["type"] == "response.incomplete" and len(done) != len(added):
        yield "an item of an incomplete response was never done"
    if "incomplete" in states and last["type"] != "response.incomplete":
        yield "an item is incomplete and its response is not"
    in_order = sorted(done, key=lambda event: int(event["output_index"]))
    if last.get("response", {}).get("output") != [event["item"] for event in in_order]:
        yield "the final output is not the items that are done"


def _item(events: list[Event], cut: bool) -> Iterator[str]:
    """What is wrong with the events of one item."""
    types = [event["type"].removeprefix("response.") for event in events]
    if types[0] != "output_item.added" or types.count("output_item.added") > 1:
        yield "an item does not begin by being added once"
        return
    if "output_item.done" in types[:-1]:
        yield "something follows an item that is done"
        return
    first, last = events[0]["item"], events[-1].get("item", {})
    if any(event.get("item_id", first["id"]) != first["id"] for event in events):
        yield "an event names another item"
    if first["id"] == first.get("call_id"):
        yield "an item's id is its call's"
    if first.get("status", "in_progress") != "in_progress":
        yield "an item is added and not in progress"
    if first.get("content") or first.get("summary") or first.get("arguments"):
        yield "an item is added with something in it"
    done = types[-1] == "output_item.done"
    if done and any(
        first.get(name) != last.get(name) for name in ("type", "id", "call_id", "name")
    ):
        yield "an item is another one when it is done"
    if first["type"] == "function_call":
        yield from _call(events, types, last if done else None)
    else:
        yield from _parts(events, last if done else None)


def _call(events: list[Event], types: list[str], done: Event | None) -> Iterator[str]:
    inner = [type_.removeprefix("function_call_arguments.") for type_ in types[1:]]
    inner = inner[:-1] if done else inner
    said = "".join(event["delta"] for event in events if "delta" in event)
    ended = [event["arguments"] for event in events if "arguments" in event]
    complete = done is not None and done["status"] == "completed"
    deltas = inner[:-1] if inner[-1:] == ["done"] else inner
    if any(type_ != "delta" for type_ in deltas):
        yield "a call has events that are no arguments"
    if complete and inner[-1:] != ["done"]:
        yield "a complete call does not say that its arguments are"
    if done is not None and not complete and ended:
        yield "a call that was cut short says that its arguments are done"
    if any(arguments != said for arguments in [*ended, *([done["arguments"]] if done else [])]):
        yield "the arguments are not the sum of their deltas"


def _parts(events: list[Event], done: Event | None) -> Iterator[str]:
    parts: list[Event] = []
    said = ""
    state = "closed"
    where = ""
    for event in events[1 : -1 if done else None]:
        name, _, verb = event["type"].rpartition(".")
        step = f"part.{verb}" if name in PARTS else verb
        index, where = PARTS.get(name) or (TEXTS[name][0], TEXTS[name][2])
        if (state, step) not in _NEXT:
            yield f"{event['type']} where the part is {state}"
        if event[index] != len(parts):
            yield f"{event['type']} is about part {event[index]}"
        state = _NEXT.get((state, step), state)
        said = "" if step == "part.added" else said + event.get("delta", "")
        if step == "done" and event[TEXTS[name][1]] != said:
            yield "a text is not the sum of its deltas"
        if step == "part.added" and _text(event["part"]):
            yield "a part is added with something in it"
        if step == "part.done":
            parts.append(event["part"])
            if _text(event["part"]) != said:
                yield "a part is not the sum of its deltas"
    if done is not None and state != "closed":
        yield "an item is done and its part is not"
    if done is not None and parts != done.get(where, []):
        yield "an item does not hold its parts"


def _text(part: Event) -> str:
    return str(part["refusal"] if part["type"] == "refusal" else part["text"])


_NEXT = {
    ("closed", "part.added"): "open",
    ("open", "delta"): "open",
    ("open", "done"): "summed up",
    ("summed up", "part.done"): "closed",
}
