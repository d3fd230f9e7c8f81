"""Broken parts and calls: their start, deltas, end, sums and citations."""

from __future__ import annotations

from tests.stream import (
    LEGAL,
    MESSAGE,
    RAW,
    REASONING,
    REFUSAL_PART,
    TEXT_PART,
    Change,
    Events,
    Json,
    child,
    done,
    lifecycle,
    refusal,
    text,
)
from tests.stream.broken import Broken
from tests.stream.changes import after, again, both, drop, drop_all, edit, short, swap

_PART = "content_part"
_SUMMARY = "reasoning_summary_part"
_SUMMARY_TEXT = "reasoning_summary_text"
_ARGUMENTS = "function_call_arguments"
_ITEM_DONE = "output_item.done"


def _moved(type_: str, nth: int, step: int) -> Change:
    """The event moved by ``step`` places; a negative number moves it forward."""

    def change(events: Events) -> Events:
        place = [n for n, event in enumerate(events) if short(event) == type_][nth]
        rest = [*events[:place], *events[place + 1 :]]
        return [*rest[: place + step], events[place], *rest[place + step :]]

    return change


def _in_final(item: int, **fields: object) -> Change:
    return edit("completed", response={"output": {item: fields}})


PARTS = (
    Broken(
        "noparts",
        "part-lifecycle",
        drop_all(f"{_PART}.added", f"{_PART}.done", "output_text.done", "refusal.done"),
        times=2,
    ),
    Broken("a part is not announced", "part-lifecycle", drop(f"{_PART}.added")),
    Broken("a delta before its part", "part-lifecycle", swap(f"{_PART}.added")),
    Broken("a part is announced twice", "part-lifecycle", again(f"{_PART}.added")),
    Broken(
        "a part is announced again when it is done",
        "part-lifecycle",
        after(f"{_PART}.done", 0, LEGAL[10]),
    ),
    Broken("a delta after the whole text", "part-lifecycle", _moved("output_text.delta", 1, 2)),
    Broken("a delta after its part was done", "part-lifecycle", _moved("output_text.delta", 1, 3)),
    Broken("the whole text twice", "part-lifecycle", again("output_text.done")),
    Broken("a text is never said in whole", "part-lifecycle", drop("output_text.done")),
    Broken("a part is done before its text", "part-lifecycle", swap("output_text.done")),
    Broken("a part is never done", "part-lifecycle", drop(f"{_PART}.done", 1)),
    Broken("two parts are open at once", "part-lifecycle", swap(f"{_PART}.done")),
    Broken(
        "a refusal in a part of text",
        "part-lifecycle",
        both(edit(f"{_PART}.added", 1, part={**TEXT_PART, "text": ""}), drop(f"{_PART}.done", 1)),
    ),
    Broken(
        "reasoning in a part of text",
        "part-lifecycle",
        edit(f"{_PART}.added", part=TEXT_PART),
        of=tuple(RAW),
    ),
    Broken(
        "text that only the finished item has",
        "part-lifecycle",
        drop_all(
            f"{_PART}.added",
            f"{_PART}.done",
            "output_text.delta",
            "output_text.done",
            "refusal.delta",
            "refusal.done",
            "output_text.annotation.added",
        ),
        times=2,
    ),
    Broken(
        "parts in another order",
        "part-index",
        lambda events: [
            *events[:10],
            *text(place=1),
            *refusal(place=0),
            done(1, {**MESSAGE, "content": [REFUSAL_PART, TEXT_PART]}),
            *events[22:-1],
            lifecycle(
                "completed",
                [
                    REASONING,
                    {**MESSAGE, "content": [REFUSAL_PART, TEXT_PART]},
                    *LEGAL[-1]["response"]["output"][2:],
                ],
            ),
        ],
        level="should",
    ),
)


def _as_content(event: Json) -> Json:
    """An event of a summary with the type of a content event."""
    if "summary_index" not in event:
        return event
    rest = {key: value for key, value in event.items() if key != "summary_index"}
    name = short(event).replace(_SUMMARY, _PART).replace(_SUMMARY_TEXT, "reasoning")
    return {**rest, "content_index": event["summary_index"], "type": f"response.{name}"}


SUMMARIES = (
    Broken(
        "a summary without parts",
        "summary-lifecycle",
        drop_all(f"{_SUMMARY}.added", f"{_SUMMARY}.done"),
    ),
    Broken(
        "a summary as content", "summary-lifecycle", lambda events: [_as_content(e) for e in events]
    ),
    Broken("a summary is never said in whole", "summary-lifecycle", drop(f"{_SUMMARY_TEXT}.done")),
    Broken("a summary is never done", "summary-lifecycle", drop(f"{_SUMMARY}.done")),
    Broken(
        "a summary that only the finished item has",
        "summary-lifecycle",
        drop_all(
            f"{_SUMMARY}.added",
            f"{_SUMMARY}.done",
            f"{_SUMMARY_TEXT}.delta",
            f"{_SUMMARY_TEXT}.done",
        ),
    ),
    Broken(
        "a summary in a part of text",
        "summary-lifecycle",
        edit(f"{_SUMMARY}.added", part=TEXT_PART),
    ),
)

SUMS = (
    Broken("textmismatch", "delta-sums", edit("output_text.delta", delta="WRONG")),
    Broken("a delta is lost", "delta-sums", drop("output_text.delta", 1)),
    Broken("a delta comes twice", "delta-sums", again("output_text.delta", 1)),
    Broken("the whole text differs", "delta-sums", edit("output_text.done", text="It is warm.")),
    Broken(
        "the finished part differs",
        "delta-sums",
        edit(f"{_PART}.done", part={"text": "It was warm. "}),
    ),
    Broken(
        "the finished item differs",
        "delta-sums",
        edit(_ITEM_DONE, 1, item={"content": {0: {"text": ""}}}),
    ),
    Broken(
        "the finished item has no parts",
        "delta-sums",
        edit(_ITEM_DONE, 1, item={"content": []}),
        times=2,
    ),
    Broken(
        "the final response differs", "delta-sums", _in_final(1, content={0: {"text": "It is"}})
    ),
    Broken("a refusal differs", "delta-sums", edit("refusal.done", refusal="")),
    Broken("a summary differs", "delta-sums", edit(f"{_SUMMARY_TEXT}.done", text="Look")),
    Broken(
        "raw reasoning differs", "delta-sums", edit("reasoning.delta", delta="look "), of=tuple(RAW)
    ),
)


DELTAS = (
    Broken("a text without deltas", "part-deltas", drop_all("output_text.delta")),
    Broken("a refusal without deltas", "part-deltas", drop_all("refusal.delta")),
    Broken(
        "raw reasoning without deltas",
        "part-deltas",
        drop_all("reasoning.delta"),
        of=tuple(RAW),
    ),
    Broken(
        "a text that is only in the event that adds its part, and later",
        "part-deltas",
        both(edit(f"{_PART}.added", part=TEXT_PART), drop_all("output_text.delta")),
    ),
    Broken(
        "a summary without deltas",
        "part-deltas",
        drop_all(f"{_SUMMARY_TEXT}.delta"),
        level="should",
    ),
)

CITATIONS = (
    Broken(
        "a citation before its part",
        "annotations",
        _moved("output_text.annotation.added", 0, -3),
        level="should",
    ),
    Broken(
        "a citation after its part",
        "annotations",
        _moved("output_text.annotation.added", 0, 2),
        level="should",
    ),
    Broken(
        "citations begin with 1",
        "annotations",
        edit("output_text.annotation.added", annotation_index=1),
        level="should",
    ),
    Broken(
        "one citation twice", "annotations", again("output_text.annotation.added"), level="should"
    ),
    Broken(
        "a citation that the part does not keep",
        "annotations",
        edit("output_text.annotation.added", annotation={"url": "https://example.org/b"}),
        level="should",
    ),
)


def _arguments(whole: str) -> Change:
    """The first call with other arguments in every event."""
    return both(
        drop(f"{_ARGUMENTS}.delta", 0),
        drop(f"{_ARGUMENTS}.delta", 2),
        edit(f"{_ARGUMENTS}.done", arguments=whole),
        edit(_ITEM_DONE, 2, item={"arguments": whole}),
        _in_final(2, arguments=whole),
    )


def _call_id(call_id: str) -> Change:
    """The second call with another id in every event."""
    return both(
        edit("output_item.added", 3, item={"call_id": call_id}),
        edit(_ITEM_DONE, 3, item={"call_id": call_id}),
        _in_final(3, call_id=call_id),
    )


CALLS = (
    Broken("arguments are never said to be done", "call-lifecycle", drop(f"{_ARGUMENTS}.done")),
    Broken("arguments are done twice", "call-lifecycle", again(f"{_ARGUMENTS}.done")),
    Broken(
        "a delta of arguments after their end",
        "call-lifecycle",
        _moved(f"{_ARGUMENTS}.delta", 4, 1),
    ),
    Broken(
        "a call with a part",
        "call-lifecycle",
        after(
            "output_item.added",
            2,
            child(
                "content_part.added", "fc_1", 2, content_index=0, part={"type": "text", "text": ""}
            ),
        ),
    ),
    Broken(
        "arguments of a message",
        "call-lifecycle",
        after("output_item.added", 1, child(f"{_ARGUMENTS}.delta", "msg_1", 1, delta="{")),
    ),
    Broken(
        "arguments differ from their deltas",
        "arguments-sum",
        edit(f"{_ARGUMENTS}.done", arguments="{}"),
    ),
    Broken("a delta of arguments is lost", "arguments-sum", drop(f"{_ARGUMENTS}.delta", 1)),
    Broken(
        "a delta of arguments goes to the other call",
        "arguments-sum",
        edit(f"{_ARGUMENTS}.delta", 2, output_index=2, item_id="fc_1"),
        times=2,
    ),
    Broken(
        "the finished call differs", "arguments-sum", edit(_ITEM_DONE, 2, item={"arguments": "{}"})
    ),
    Broken("the call in the final response differs", "arguments-sum", _in_final(2, arguments="{}")),
    Broken("a call without an id", "call-ids", _call_id(""), level="should"),
    Broken("a call with its item's id", "call-ids", _call_id("fc_2"), level="should"),
    Broken("two calls with one id", "call-ids", _call_id("call_1"), level="should"),
    Broken("arguments that are cut off", "arguments-parse", _arguments('{"q":'), level="should"),
    Broken("empty arguments", "arguments-parse", _arguments(""), level="should"),
)

LIFE = (*PARTS, *SUMMARIES, *DELTAS, *SUMS, *CITATIONS, *CALLS)
