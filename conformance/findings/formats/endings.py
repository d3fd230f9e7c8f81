"""Formatters for errors, events, what an upstream did, and how runs end or should have ended."""

from conformance.findings.formats.texts import (
    clip,
    clip_middle,
    count,
    join_list,
    join_or,
    list_events,
    quote,
)
from conformance.findings.values import (
    Declared,
    DueEnding,
    EndedValue,
    ErrorValue,
    EventValue,
    FailureInstead,
    OtherEnding,
    OutsideOfRuns,
    RightEndings,
    UpstreamAct,
    UpstreamValue,
    WellUntil,
)
from mockserver.foundation.visible import visible

_MOST_CAUSE = 100
_MOST_DETAIL = 80
_MOST_RAW = 40
_RAISED = "the library raised "


def write_declared(declared: Declared, most: int | None = None) -> str:
    """The value of a trait as a clause, which says whether it was declared or is the default."""
    value = f"{declared.trait}: {declared.value}"
    if not declared.is_default:
        return f"the trait {value} is declared"
    return (
        f"default: {value}" if most else f"no trait {declared.trait} is declared, so {value} holds"
    )


_FAILURE_INSTEAD: dict[FailureInstead, str] = {
    "": "",
    "ending": ", or an ending that says failed",
    "text": ", or a text that reports a failure",
}


def write_failure_instead(instead: FailureInstead, _most: int | None = None) -> str:
    """The end of a sentence about right parts, if a run that fails is right as well."""
    return _FAILURE_INSTEAD[instead]


def write_endings(right: RightEndings, _most: int | None = None) -> str:
    """The endings that are right for the parts of a run, and those that are right with others."""
    also = "".join(f", or {each.outcome}{_with_parts(each)}" for each in right.others)
    return f"an ending that says {join_or(right.outcomes)}{also}"


def _with_parts(ending: OtherEnding) -> str:
    lacks = ["the text"] if ending.with_text else []
    if calls := ", ".join(repr(call.id) if call.id else call.name for call in ending.with_calls):
        lacks.append(f"the call{'s' if len(ending.with_calls) > 1 else ''} {calls}")
    if lacks:
        return f" with {' and '.join(lacks)}"
    return " with other parts" if ending.with_others else ""


def write_ended(ended: EndedValue, most: int | None = None) -> str:
    """The verdict with its reason, such as ``crashed: KeyError: 'choices'``."""
    return f"{ended.verdict}: {clip(ended.reason, most)}" if ended.reason else ended.verdict


def write_error(error: ErrorValue, most: int | None = None) -> str:
    """The innermost cause of an error, in quotes."""
    cause = clip_middle(error.cause, min(_MOST_CAUSE, most or _MOST_CAUSE))
    return repr(cause) if cause else "no message"


def write_crash(error: ErrorValue, most: int | None = None) -> str:
    """The error with which an adapter crashed: that of its library by its name."""
    raised = error.cause.removeprefix(_RAISED)
    if raised == error.cause:
        return write_error(error, most)
    return clip_middle(raised, min(_MOST_CAUSE, most or _MOST_CAUSE))


def write_event(event: EventValue, most: int | None = None) -> str:
    """An event with its number, and what it says; bytes are quoted."""
    limit = min(_MOST_DETAIL, most or _MOST_DETAIL)
    says = visible(clip(event.says, limit)) if event.kind == "event" else ""
    return f"{_name_event(event)}{f': {says}' if says else ''}"


def _name_event(event: EventValue) -> str:
    what = event.type
    if event.kind == "raw":
        what = f"the bytes {quote(event.says, _MOST_RAW)}"
    elif event.kind == "comment":
        what = "a comment"
    return f"{what} (event {event.n})"


_UPSTREAM: dict[UpstreamAct, str] = {
    "no-request": "got no request at the run's base URL",
    "refused-request": "refused the request with HTTP {status}",
    "called-unoffered": "called {calls}, which was not offered",
    "answered": "answered with HTTP {status}",
    "answered-plainly": "answered with HTTP {status} and {media_type}, not with a stream",
    "answering": "was answering until the run was cancelled",
    "sent": "sent {event}",
    "sent-error": "sent an error in {event}",
    "refused": "refused to answer",
    "sent-no-event": "sent {event}, which is not an event",
    "sent-lost-text": "sent text that did not come out, up to {event}",
    "sent-lost-calls": "sent {count} that cannot be executed{dropped}: {calls}",
    "sent-incomplete": "sent what is no completed response, up to {event}",
    "left": "was still answering when the client left, {after}",
    "left-in-silence": "had sent nothing more {after} when the client left",
    "cut": "cut the connection {after}",
    "reset": "reset the connection {after}",
    "half-close": "ended its side of the connection {after}",
    "stall": "fell silent {after}",
    "completed": "completed the response {after}",
    "ended": "ended the stream {after}{lacks}",
    "completed-with-calls": "completed its response with {host_calls} for the host",
    "cut-short": "cut its response short ({reason})",
}


def write_upstream(upstream: UpstreamValue, most: int | None = None) -> str:
    """What the upstream did, as a clause, with the reason why it cut its response short."""
    event = upstream.event
    after = f"after {_name_event(event)}" if event else "before any event"
    did = _say_what(upstream, _UPSTREAM[upstream.did], after, most)
    is_named = upstream.reason in did.replace("_", "-")
    return did if is_named else f"{did}: {upstream.reason}"


def _say_what(upstream: UpstreamValue, template: str, after: str, most: int | None) -> str:
    event, calls = upstream.event, upstream.calls
    were = "was" if len(calls) == 1 else "were"
    return template.format(
        event=write_event(event, most) if event else "",
        after=after,
        status=upstream.status,
        media_type=upstream.media_type or "no content",
        calls=", ".join(map(repr, calls)),
        count="a call" if len(calls) == 1 else f"{len(calls)} calls",
        host_calls=count(upstream.host_calls, "call", "calls"),
        dropped=f", and {were} dropped silently" if upstream.dropped else "",
        lacks=f", without {upstream.lacks}" if upstream.lacks else "",
        reason=upstream.reason,
    )


_UPSTREAM_IN_SHORT: dict[UpstreamAct, str] = {
    "sent-no-event": "sent what is not an event",
    "sent-lost-text": "sent text that did not come out",
    "sent-incomplete": "sent what is no completed response",
    "ended": "ended the stream {after}",
}


def write_despite(upstream: UpstreamValue, most: int | None = None) -> str:
    """What the upstream did, as the short end of a sentence about a run that did not heed it."""
    template = _UPSTREAM_IN_SHORT.get(upstream.did, _UPSTREAM[upstream.did])
    after = f"after event {upstream.event.n}" if upstream.event else "before any event"
    did = _say_what(upstream, template, after, most)
    for verb in ("sent ", "answered with "):
        if did.startswith(verb):
            return f" despite {did.removeprefix(verb)}"
    return f", but the upstream {did}"


def write_due_ending(due: DueEnding, _most: int | None = None) -> str:
    """When a run should have ended, and how."""
    if due.once == "cancelled":
        return "one ending, once the run is cancelled"
    if due.once == "silent":
        return "one ending, at the latest once the run is cancelled"
    ending = f"one ending that says {join_or(due.outcomes)}"
    if due.event is None:
        return f"{ending}, once the upstream's answer is over"
    open_ = ", although the connection stays open" if due.is_open else ""
    return f"{ending}, soon after {_name_event(due.event)}{open_}"


def write_outside_of_runs(when: OutsideOfRuns, _most: int | None = None) -> str:
    """When an incident happened, and why no run is known to be its cause."""
    after = f"after {when.after} had ended" if when.after else "before any run had ended"
    if not when.in_flight:
        return f"between two runs, {after}"
    if len(when.in_flight) == 1:
        return f"before it answered this run, {after}, but not when this run was played alone"
    return (
        f"while {len(when.in_flight)} runs were in flight ({join_list(when.in_flight)}), but with "
        "none of them when it was played alone"
    )


def write_well_until(well: WellUntil, _most: int | None = None) -> str:
    """Up to which event a run went well."""
    if well.event < 0:
        return "the run brought nothing"
    accused = ", which is to be ignored" if well.is_accused else ""
    return f"the run went well up to event {well.event} ({well.type}){accused}"


def write_suspects(well: WellUntil, _most: int | None = None) -> str:
    """The events of which one has broken a run, if there are several."""
    if well.is_accused:
        return ""
    where = "after that" if well.event >= 0 else "at its beginning"
    return f"; to be ignored {where}: {list_events(well.suspects)}"
