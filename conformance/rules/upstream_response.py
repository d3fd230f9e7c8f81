"""What the upstream did that decides how a run should end, as a value.

It is taken from what was sent, so that a finding names the event at which the adapter went wrong,
and never an event that was not sent.
"""

import json
from collections.abc import Iterator

from conformance.contract.transcript import PlainAnswer, Request, SentEvent
from conformance.dialects import KIT
from conformance.dialects.dialect import Ending
from conformance.dialects.short_text import failure
from conformance.findings.values import EventValue, UpstreamAct, UpstreamValue
from conformance.rules.evidence import Evidence
from mockserver.foundation.json_fields import mapping

_FIRST_ERROR_STATUS = 400
_CLOSED: dict[str, UpstreamAct] = {
    "cut": "cut",
    "reset": "reset",
    "half-close": "half-close",
    "stall": "stall",
}
# How an answer ended that ends only when the client leaves. A client that leaves then and one that
# leaves too early look the same.
_LEFT: dict[str, UpstreamAct] = {"half-close": "half-close", "stall": "left-in-silence"}


def upstream_did(evidence: Evidence) -> UpstreamValue:
    """What the upstream did that decides how the run should end."""
    transcript, expected = evidence.transcript, evidence.expected
    if not transcript.answered:
        return _no_answer(transcript.posts)
    if expected.unoffered:
        return UpstreamValue("called-unoffered", calls=expected.unoffered[:1])
    if transcript.plain_answer is not None:
        return _plain(transcript.answered[-1].status, transcript.plain_answer)
    if expected.upstream == "cancelled":
        return UpstreamValue("answering")
    return _ended_by_event(evidence) or _ended_without_event(evidence)


def _no_answer(posts: tuple[Request, ...]) -> UpstreamValue:
    if not posts:
        return UpstreamValue("no-request")
    return UpstreamValue("refused-request", status=posts[-1].status)


def _plain(status: int, answer: PlainAnswer) -> UpstreamValue:
    if status >= _FIRST_ERROR_STATUS:
        return UpstreamValue("answered", status=status)
    named = {name.lower(): value for name, value in answer.headers.items()}
    type_ = named.get("content-type", "").partition(";")[0]
    return UpstreamValue("answered-plainly", status=status, media_type=type_)


def _ended_by_event(evidence: Evidence) -> UpstreamValue | None:
    """What the event did that says how the response ends; None if there is none."""
    wanted, said = evidence.expected.upstream, list(_endings(evidence))
    if event := _ending_as_expected(evidence):
        plain = wanted != "failed" or wanted in event.type or event.type == "error"
        return UpstreamValue("sent" if plain else "sent-error", _event(evidence, event))
    if not said:
        return None
    last, word = said[-1]
    # An alternative that has failed may be the nearest one to a run that has crashed.
    is_hidden = evidence.end is not None and evidence.end.outcome == "completed"
    if wanted == "failed" and word != "other" and is_hidden:
        return _unreadable(evidence, last)
    return UpstreamValue("sent", _event(evidence, last))


def ending_sent(evidence: Evidence) -> EventValue | None:
    """The event that ends the response as expected; None if none was sent."""
    event = _ending_as_expected(evidence)
    return _event(evidence, event) if event else None


def _ending_as_expected(evidence: Evidence) -> SentEvent | None:
    """The event that says how the response ends, if it says what is expected."""
    wanted, said = evidence.expected.upstream, list(_endings(evidence))
    # After a failure the rest does not count; a later event may correct another ending.
    in_order = said if wanted == "failed" else reversed(said)
    return next((event for event, word in in_order if word == wanted), None)


def _unreadable(evidence: Evidence, last: SentEvent) -> UpstreamValue:
    """Why a response has failed although its last event does not say so."""
    if any(segment.kind == "refusal" for segment in evidence.content.segments):
        return UpstreamValue("refused")
    if raw := _raw(evidence):
        return UpstreamValue("sent-no-event", _event(evidence, raw))
    if not evidence.reading.text and any(entry.has("text") for entry in evidence.turn.entries):
        return UpstreamValue("sent-lost-text", _event(evidence, last))
    if calls := _unexecutable(evidence):
        emitted = json.dumps([part.part for part in evidence.transcript.parts])
        dropped = not any(json.dumps(id_) in emitted for id_ in calls)
        return UpstreamValue("sent-lost-calls", calls=calls, dropped=dropped)
    return UpstreamValue("sent-incomplete", _event(evidence, last))


def _ended_without_event(evidence: Evidence) -> UpstreamValue:
    """How a stream ended that has no event which says so."""
    transcript, request = evidence.transcript, evidence.transcript.answered[-1]
    last = _event(evidence, transcript.sent[-1]) if transcript.sent else None
    if request.left:
        return UpstreamValue(_LEFT.get(request.close, "left"), last)
    if request.close != "clean":
        return UpstreamValue(_CLOSED[request.close], last)
    if evidence.expected.upstream == "completed":
        return UpstreamValue("completed", last)
    lacks = KIT[transcript.dialect].endings.name if last else ""
    return UpstreamValue("ended", last, lacks=lacks)


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


def _event(evidence: Evidence, event: SentEvent) -> EventValue:
    """An event with its number, and what it says: the failure, or else its summary."""
    if event.kind != "event":
        return EventValue(event.n, event.kind, event.type, str(event.data or ""))
    data = mapping(event.data)
    summary = KIT[evidence.transcript.dialect].summary(event.type, data).partition(" ")[2]
    says = failure(data.get("error")) or summary
    return EventValue(event.n, event.kind, event.type, says)


def _unexecutable(evidence: Evidence) -> tuple[str, ...]:
    """The ids of the calls that were announced and never became ones that can be executed."""
    made = {call.id for call in evidence.content.calls}
    announced = (id_ for entry in evidence.turn.entries for id_ in entry.announces)
    return tuple(id_ for id_ in dict.fromkeys(announced) if id_ not in made)
