"""Says in words how the upstream answered a run and ended its response, for messages.

The words are taken from what was sent, so that a message names the event at which the adapter went
wrong, and never an event that was not sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.dialects import KIT
from conformance.dialects.short_text import clip, failure, quoted
from mockserver.foundation.json_fields import mapping
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import PlainAnswer, Request, SentEvent
    from conformance.dialects.dialect import Ending
    from conformance.rules.evidence import Evidence

_MAX_DETAIL = 80
_MAX_RAW = 40
_FIRST_ERROR_STATUS = 400
_CLOSED = {
    "cut": "cut the connection",
    "reset": "reset the connection",
    "half-close": "ended its side of the connection",
    "stall": "fell silent",
}


# How an answer ended that ends only when the client leaves. A client that leaves then and one that
# leaves too early look the same.
_LEFT = {
    "half-close": f"{_CLOSED['half-close']} {{}}",
    "stall": "had sent nothing more {} when the client left",
}


def upstream_did(evidence: Evidence) -> str:
    """What the upstream did that decides how the run should end, as a clause: ``sent …``."""
    transcript, expected = evidence.transcript, evidence.expected
    if not transcript.answered:
        return _no_answer(transcript.posts)
    if expected.unoffered:
        return f"called {expected.unoffered[0]!r}, which was not offered"
    if transcript.plain_answer is not None:
        return _plain(transcript.answered[-1].status, transcript.plain_answer)
    if expected.upstream == "cancelled":
        return "was answering until the run was cancelled"
    return _ended_by_event(evidence) or _ended_without_event(evidence)


def _no_answer(posts: tuple[Request, ...]) -> str:
    if not posts:
        return "got no request at the run's base URL"
    return f"refused the request with HTTP {posts[-1].status}"


def _plain(status: int, answer: PlainAnswer) -> str:
    if status >= _FIRST_ERROR_STATUS:
        return f"answered with HTTP {status}"
    named = {name.lower(): value for name, value in answer.headers.items()}
    kind = named.get("content-type", "").partition(";")[0]
    return f"answered with HTTP {status} and {kind or 'no content'}, not with a stream"


def _ended_by_event(evidence: Evidence) -> str:
    """The event that says how the response ends, as a clause; empty if there is none."""
    wanted, said = evidence.expected.upstream, list(_endings(evidence))
    if event := _ending_as_expected(evidence):
        plain = wanted != "failed" or wanted in event.type or event.type == "error"
        return f"sent {'' if plain else 'an error in '}{_named(evidence, event)}"
    if not said:
        return ""
    last, word = said[-1]
    # An alternative that has failed may be the nearest one to a run that has crashed.
    is_hidden = evidence.end is not None and evidence.end.outcome == "completed"
    if wanted == "failed" and word != "other" and is_hidden:
        return _unreadable(evidence, last)
    return f"sent {_named(evidence, last)}"


def ending_sent(evidence: Evidence) -> str:
    """The event that ends the response as expected, with its number; empty if none was sent."""
    event = _ending_as_expected(evidence)
    return _named(evidence, event, detailed=False) if event else ""


def _ending_as_expected(evidence: Evidence) -> SentEvent | None:
    """The event that says how the response ends, if it says what is expected."""
    wanted, said = evidence.expected.upstream, list(_endings(evidence))
    # After a failure the rest does not count; a later event may correct another ending.
    in_order = said if wanted == "failed" else reversed(said)
    return next((event for event, word in in_order if word == wanted), None)


def _unreadable(evidence: Evidence, last: SentEvent) -> str:
    """Why a response has failed although its last event does not say so, as a clause."""
    if any(segment.kind == "refusal" for segment in evidence.content.segments):
        return "refused to answer"
    if raw := _raw(evidence):
        return f"sent {_named(evidence, raw)}, which is not an event"
    if not evidence.reading.text and any(entry.has("text") for entry in evidence.entries):
        return f"sent text that did not come out, up to {_named(evidence, last)}"
    if calls := _unexecutable(evidence):
        named = ", ".join(map(repr, calls))
        sent = "a call" if len(calls) == 1 else f"{len(calls)} calls"
        emitted = json.dumps([part.part for part in evidence.transcript.parts])
        came = any(json.dumps(id_) in emitted for id_ in calls)
        dropped = "" if came else f", and {'was' if len(calls) == 1 else 'were'} dropped silently"
        return f"sent {sent} that cannot be executed{dropped}: {named}"
    return f"sent what is no completed response, up to {_named(evidence, last)}"


def _ended_without_event(evidence: Evidence) -> str:
    """How a stream ended that has no event which says so, as a clause."""
    transcript, request = evidence.transcript, evidence.transcript.answered[-1]
    last = transcript.sent[-1] if transcript.sent else None
    after = f"after {_named(evidence, last, detailed=False)}" if last else "before any event"
    if request.left and request.close in _LEFT:
        return _LEFT[request.close].format(after)
    if request.left:
        return f"was still answering when the client left, {after}"
    if request.close != "clean":
        return f"{_CLOSED[request.close]} {after}"
    if evidence.expected.upstream == "completed":
        return f"completed the response {after}"
    without = f", without {KIT[transcript.dialect].endings.name}" if last else ""
    return f"ended the stream {after}{without}"


def _endings(evidence: Evidence) -> Iterator[tuple[SentEvent, Ending]]:
    """The events of the response that say how it ends, with what they say."""
    ending = KIT[evidence.transcript.dialect].endings.of_event
    for event in evidence.answer:
        if event.kind == "event" and isinstance(event.data, dict):
            word = ending(event.type, event.data)
            if word:
                yield event, word


def _raw(evidence: Evidence) -> SentEvent | None:
    """The first raw bytes in the response that do not end it."""
    raw = (event for event in evidence.answer if event.kind == "raw" and not event.ignorable)
    return next((event for event in raw if "[DONE]" not in str(event.data)), None)


def _named(evidence: Evidence, event: SentEvent, *, detailed: bool = True) -> str:
    """An event with its number, and what it says."""
    if event.kind != "event":
        return f"{_item(event)} (event {event.n})"
    data = mapping(event.data)
    summary = KIT[evidence.transcript.dialect].summary(event.type, data).partition(" ")[2]
    detail = clip(failure(data.get("error")) or summary, _MAX_DETAIL) if detailed else ""
    return f"{event.type} (event {event.n}){f': {visible(detail)}' if detail else ''}"


def _item(event: SentEvent) -> str:
    """An item of the stream that is not an event: raw bytes, a comment or the closing data."""
    if event.kind == "raw":
        return f"the bytes {quoted(str(event.data), _MAX_RAW)}"
    return "a comment" if event.kind == "comment" else event.type


def _unexecutable(evidence: Evidence) -> list[str]:
    """The ids of the calls that were announced and never became ones that can be executed."""
    made = {call.id for call in evidence.content.calls}
    announced = (id_ for entry in evidence.entries for id_ in entry.announces)
    return [id_ for id_ in dict.fromkeys(announced) if id_ not in made]
