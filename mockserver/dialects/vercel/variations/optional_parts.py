"""Variations that insert or leave out parts, or add fields, without changing the content.

They need not be streams that the SDK can produce; the ``about`` of each says whether it is one.
"""

from collections.abc import Callable, Sequence

from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI, USUAL, generations
from mockserver.scenario.script import Comment
from mockserver.wire.event import Change, Event, Step, events_in, map_events
from mockserver.wire.variation import Variation

_STARTS = frozenset({"start", "start-step", "text-start", "reasoning-start"})
_ENDS = frozenset({"text-end", "tool-input-end", "finish-step"})
_STREAMED = frozenset({"tool-input-start", "tool-input-delta", "tool-input-end"})
_CALL_STARTS = frozenset({"tool-input-start", "tool-call-streaming-start"})
_CALLS = frozenset({"tool-call", "tool-input-available", "tool-input-error"})


def _insert_after_parts(follows: Callable[[Event], Sequence[Step]]) -> Change:
    """Insert the steps that ``follows`` returns after every part but the last one."""

    def insert(steps: Sequence[Step]) -> Sequence[Step]:
        result: list[Step] = []
        for step in steps:
            result.append(step)
            if isinstance(step, Event) and step.type not in ("finish", "abort", "error"):
                result += follows(step)
        return result

    return insert


def _remove_parts(types: frozenset[str]) -> Change:
    """Leave out parts of some types, but for those whose metadata have content of the answer."""

    def is_left_out(step: Step) -> bool:
        return isinstance(step, Event) and step.type in types and not _has_content(step)

    return lambda steps: [step for step in steps if not is_left_out(step)]


def _has_content(event: Event) -> bool:
    """Whether a part has redacted or encrypted reasoning in its metadata."""
    return event.type.startswith("reasoning") and "providerMetadata" in event.data


def _check_calls(steps: Sequence[Step]) -> str:
    """Why parts of calls cannot be left out if a call has no complete part; else empty."""
    events = list(events_in(steps))
    complete = {e.data.get(NAMES[USUAL].call_id) for e in events if e.type in _CALLS}
    started = (
        next((e.data[name] for name in names("input_id") if name in e.data), None)
        for e in events
        if e.type in _CALL_STARTS
    )
    alone = next((id_ for id_ in started if id_ not in complete), None)
    return f"the call {alone!r} is only streamed" if alone else ""


def _check_raw(steps: Sequence[Step]) -> str:
    """Why raw parts cannot be inserted in a stream of an older generation; else empty."""
    found = (generations(event.type) for event in events_in(steps))
    is_older = any(have and not have & generations("raw") for have in found)
    return "ai 4 has no raw parts" if is_older else ""


def _ignorable(type_: str, **fields: object) -> Event:
    return Event(type_, {"type": type_, **fields}, ignorable=True)


_FUTURE = {"id": "future_1", "text": "not for you", "delta": "not for you"}
_CHUNK = {"choices": [{"index": 0, "delta": {"content": "not for you"}}]}

OPTIONAL_PARTS = (
    Variation(
        "future-parts",
        "a part of a type that no release has follows every part (ai 7 added five types)",
        change_steps=_insert_after_parts(lambda _: [_ignorable("future-part", **_FUTURE)]),
        dialects=(FULLSTREAM,),
    ),
    Variation(
        "raw-parts",
        "the provider's own chunks are between the parts (includeRawChunks)",
        change_steps=_insert_after_parts(lambda _: [_ignorable("raw", rawValue=_CHUNK)]),
        dialects=(FULLSTREAM,),
        misfit=_check_raw,
    ),
    Variation(
        "future-fields",
        "every part has fields that no release has (legal; only UI messages of ai 6.0.50 are "
        "strict)",
        change_steps=map_events(
            lambda _n, data: {**data, "futureField": "not for you", "revision": 7}
        ),
        dialects=(FULLSTREAM, GATEWAY),
    ),
    Variation(
        "no-start-parts",
        "blocks and steps have no start parts (not as the SDK sends it)",
        change_steps=_remove_parts(_STARTS),
        dialects=(FULLSTREAM,),
        departs_in=(FULLSTREAM,),
    ),
    Variation(
        "no-end-parts",
        "blocks of text, inputs and steps have no end parts (not as the SDK sends it)",
        change_steps=_remove_parts(_ENDS),
        dialects=(FULLSTREAM,),
        departs_in=(FULLSTREAM,),
        misfit=_check_calls,
    ),
    Variation(
        "calls-at-once",
        "a call is sent complete, and its input is not streamed (legal), as by "
        "@ai-sdk/open-responses",
        change_steps=_remove_parts(_STREAMED),
        dialects=(FULLSTREAM, GATEWAY, UI),
        misfit=_check_calls,
    ),
    Variation(
        "keep-alive",
        "comments keep the connection alive, as with the option keepAliveMs of ai 7",
        change_steps=lambda steps: [
            Comment("stream-open"),
            *_insert_after_parts(lambda _: [Comment("keep-alive")])(steps),
        ],
        dialects=(UI, GATEWAY, FULLSTREAM),
    ),
)
