"""Formatters for the values of findings: calls, texts, events, requests, errors and endings.

Each takes a value and the most characters that a text in it may have (None for its whole length).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.findings.values import (
    CallValue,
    DataValue,
    Declared,
    DueEnding,
    EndedValue,
    ErrorValue,
    EventValue,
    FailureInstead,
    ItemValue,
    OtherEnding,
    OutsideOfRuns,
    PieceValue,
    RightData,
    RightEndings,
    SchemaError,
    TextDifference,
    TextPlace,
    ToolResultValue,
    ToolUse,
    UpstreamAct,
    UpstreamValue,
    WellUntil,
)
from mockserver.foundation.visible import visible

_MOST_LISTED = 3
_SHOWN_UPDATE = 60
_SHORT = 80
_COMPACT = 160
_SHOWN = 24
_SHOWN_ARGUMENTS = 40
_SHOWN_ERROR = 120
_AROUND = 20
_CAUSE = 120


def clip(text: str, most: int | None = None) -> str:
    """A text, cut to ``most`` characters."""
    return text if most is None or len(text) <= most else text[: max(most - 1, 0)] + "…"


def clip_middle(text: str, most: int | None = None) -> str:
    """A text, cut to ``most`` characters: two thirds are its beginning, the rest its end."""
    if most is None or len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def quote(text: Any, most: int | None = None) -> str:
    """A value in quotes; a long text is cut before, and the cut stands after the quotes."""
    if isinstance(text, str) and most is not None and len(text) > most:
        return repr(text[:most]) + "…"
    return repr(text)


def write_json(value: Any, most: int | None = None) -> str:
    """A value as JSON on one line without spaces, without its middle if it is long."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return clip_middle(text, most)


def take_first(text: Any, most: int | None = None, *, length: int) -> str:
    """The first ``length`` characters of a text."""
    return clip(str(text)[:length], most)


def quote_first(text: str, most: int | None = None, *, length: int) -> str:
    """The first ``length`` characters of a text, in quotes."""
    return quote(text, min(length, most or length))


def write_json_first(value: Any, most: int | None = None, *, length: int) -> str:
    """The first ``length`` characters of a value as JSON."""
    return clip(write_json(value)[:length], most)


def count(number: int, one: str, several: str) -> str:
    """A number with its noun: ``no call``, ``1 call``, ``2 calls``."""
    return f"{number or 'no'} {several if number > 1 else one}"


def list_events(numbers: Sequence[int], _most: int | None = None) -> str:
    """The events with these numbers, in order: ``events 8, 12 and 13``, or ``events 2 to 9``."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"event {first}"
    if len(numbers) > _MOST_LISTED and last - first == len(numbers) - 1:
        return f"events {first} to {last}"
    if len(numbers) > _MOST_LISTED:
        return f"{len(numbers)} events from {first} to {last}"
    return f"events {', '.join(map(str, numbers[:-1]))} and {last}"


def join_list(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts with commas between them."""
    return ", ".join(map(str, texts))


def join_and(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``and``."""
    return _join([str(each) for each in texts], "and")


def join_or(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``or``."""
    return _join([str(each) for each in texts], "or")


def _join(texts: list[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def write_compact(value: Any, most: int | None = None) -> str:
    """A value as JSON on one line, without its end if it is long."""
    return clip(write_json(value), min(_COMPACT, most or _COMPACT))


def shorten(text: str, most: int | None = None) -> str:
    """A text, cut to one line."""
    return clip(text, min(_SHORT, most or _SHORT))


def write_cause(cause: str, most: int | None = None) -> str:
    """The cause of an error, without its end if it is long."""
    return clip(cause, min(_CAUSE, most or _CAUSE))


def quote_cause(cause: str, most: int | None = None) -> str:
    """The cause of an error in quotes, without its end if it is long."""
    return quote(cause, min(_CAUSE, most or _CAUSE))


def quote_either(values: Sequence[Any], _most: int | None = None) -> str:
    """Values in quotes as a list that ends with ``or``."""
    return _join([repr(each) for each in values], "or")


def take_start(text: str, most: int | None = None, *, shown: int = _SHOWN) -> str:
    """The beginning of a text."""
    most = min(shown, most or shown)
    return text if len(text) <= most else text[:most] + "…"


def quote_start(text: str, most: int | None = None, *, shown: int = _SHOWN) -> str:
    """The beginning of a text, in quotes."""
    return repr(take_start(text, most, shown=shown))


def write_arguments(arguments: Any, most: int | None = None) -> str:
    """The beginning of a call's arguments, which are a text or a JSON value."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return take_start(text, most, shown=_SHOWN_ARGUMENTS)


def quote_around(place: TextPlace, most: int | None = None) -> str:
    """A text in quotes; only the characters around its place if it is long."""
    text, at = place.text, place.at
    start = max(0, at - _AROUND)
    if len(text) <= _SHOWN or not start:
        return quote_start(text, most)
    more = "…" if at + _AROUND < len(text) else ""
    quoted = repr(f"…{text[start : at + _AROUND]}{more}")
    if at >= len(text):
        return quoted
    return f"{quoted} ({text[at]!r} is character {at} of the whole, counted from 0)"


def write_call(call: CallValue, most: int | None = None) -> str:
    """A call as ``name(input)``, with its id if it has one."""
    id_ = f" with id {call.id!r}" if call.id else ""
    return f"{write_input(call, most)}{id_}"


def write_input(call: CallValue, most: int | None = None) -> str:
    """A call as ``name(input)``."""
    return f"{call.name}({write_json(call.input, most)})"


def write_declared(declared: Declared, most: int | None = None) -> str:
    """The value of a trait as a clause, which says whether it was declared or is the default."""
    value = f"{declared.trait}: {declared.value}"
    if not declared.is_default:
        return f"the trait {value} is declared"
    return (
        f"default: {value}" if most else f"no trait {declared.trait} is declared, so {value} holds"
    )


def write_item(item: ItemValue, _most: int | None = None) -> str:
    """An output item with its type, id and index, if it has an id."""
    if not item.id:
        return f"item {item.index}"
    return f"the {item.type or 'item'} {item.id!r} (index {item.index})"


def write_difference(difference: TextDifference, most: int | None = None) -> str:
    """How two versions of a text begin to differ."""
    versions = (
        (difference.source, difference.text),
        (difference.other_source, difference.other_text),
    )
    return " where ".join(
        f"{source or 'the sum of the deltas'} {_write_rest(rest, difference.at, most)}"
        for source, rest in versions
    )


def _write_rest(rest: str, at: int, most: int | None) -> str:
    if not rest:
        return f"ends after {at} characters"
    shown = quote_start(rest, most)
    return f"goes on after {at} characters with {shown}" if at else f"begins with {shown}"


def write_schema_errors(errors: Sequence[SchemaError], most: int | None = None) -> str:
    """What a schema refuses, by place; only the first places."""
    by_place: dict[str, list[str]] = {}
    for error in errors:
        says = error.says[: min(_SHOWN_ERROR, most or _SHOWN_ERROR)]
        by_place.setdefault(error.place, []).append(says)
    places = [
        f"{place}: {', '.join(said)}" if place else ", ".join(said)
        for place, said in by_place.items()
    ]
    more = f"; and {len(places) - _MOST_LISTED} more" if len(places) > _MOST_LISTED else ""
    return "; ".join(places[:_MOST_LISTED]) + more


def write_set(fields: Mapping[str, bool], _most: int | None = None) -> str:
    """Which fields are set, and which are null."""
    return ", ".join(f"{name} is {'set' if is_set else 'null'}" for name, is_set in fields.items())


_FAILURE_INSTEAD: dict[FailureInstead, str] = {
    "": "",
    "ending": ", or an ending that says failed",
    "text": ", or a text that reports a failure",
}


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


def write_calls(calls: Sequence[CallValue], most: int | None = None) -> str:
    """Calls as a list of ``name(input)``."""
    return join_list([write_call(call, most) for call in calls])


_MOST_CAUSE = 100
_MOST_SAID = 160
_MOST_DETAIL = 80
_MOST_RAW = 40
_RAISED = "the library raised "


def write_said(said: str, most: int | None = None) -> str:
    """A message that was reported, in quotes; ``nothing`` if it is blank."""
    return quote(said.strip(), min(_MOST_SAID, most or _MOST_SAID)) if said.strip() else "nothing"


def write_line(text: str, most: int | None = None, *, length: int) -> str:
    """The first line of a text that is not blank, cut, with unprintable characters escaped."""
    line = text.strip().partition("\n")[0].rstrip(" :")
    return visible(clip(line, min(length, most or length)))


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
    event, calls = upstream.event, upstream.calls
    were = "was" if len(calls) == 1 else "were"
    did = _UPSTREAM[upstream.did].format(
        event=write_event(event, most) if event else "",
        after=f"after {_name_event(event)}" if event else "before any event",
        status=upstream.status,
        media_type=upstream.media_type or "no content",
        calls=", ".join(map(repr, calls)),
        count="a call" if len(calls) == 1 else f"{len(calls)} calls",
        host_calls=count(len(calls), "call", "calls"),
        dropped=f", and {were} dropped silently" if upstream.dropped else "",
        lacks=f", without {upstream.lacks}" if upstream.lacks else "",
        reason=upstream.reason,
    )
    is_named = upstream.reason in did.replace("_", "-")
    return did if is_named else f"{did}: {upstream.reason}"


def write_despite(upstream: UpstreamValue, most: int | None = None) -> str:
    """What the upstream did, as the short end of a sentence about a run that did not heed it."""
    did = write_upstream(upstream, most)
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


def write_use(use: ToolUse, most: int | None = None) -> str:
    """A call of one of the upstream's own tools, by its id and its tool."""
    return f"{quote(use.id, most)} ({use.tool})"


def write_tool_result(result: ToolResultValue, most: int | None = None) -> str:
    """The right result of a call of one of the upstream's own tools."""
    if result.failed:
        return (
            f"the failure of {write_use(result.use, most)}: {join_list(result.error) or 'an error'}"
        )
    return f"a result with what was sent: {write_arguments(result.value, most)}"


def write_annotations(targets: Sequence[str], most: int | None = None) -> str:
    """Annotations by what they are of."""
    return join_list([f"an annotation of {quote(target, most)}" for target in targets])


def quote_each(texts: Sequence[str], most: int | None = None) -> str:
    """Texts in quotes, each cut if it is long, with commas between them."""
    return join_list(
        [quote(text, min(_SHOWN_ARGUMENTS, most or _SHOWN_ARGUMENTS)) for text in texts]
    )


def write_piece(piece: PieceValue, most: int | None = None) -> str:
    """The beginning of a part's text, in quotes, or else the type of the part."""
    return piece.type if piece.text is None else quote_start(piece.text, most)


def write_details(details: Sequence[str], most: int | None = None) -> str:
    """Texts with semicolons between them, unprintable characters escaped."""
    return visible("; ".join(clip(each, most) for each in details))


_LENGTHS = (40, 80, 120, 200)


def write_data(data: DataValue, most: int | None = None) -> str:
    """Data by its media type and its beginning."""
    return f"{data.mime_type} {take_start(data.data, most)}"


def write_right_data(right: RightData, most: int | None = None) -> str:
    """The data that should be emitted, and the data that may be."""
    clauses = {"each once": right.due, "at most once": right.optional}
    words = [
        f"{often}: {', '.join(write_data(each, most) for each in data)}"
        for often, data in clauses.items()
        if data
    ]
    return "; ".join(words) or "no such part"


_TYPES = {
    "string": "a string",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}


def write_types(types: Sequence[str], _most: int | None = None) -> str:
    """JSON types as a list that ends with ``or``."""
    return join_or([_TYPES[each] for each in types])


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


FORMATS: dict[str, Callable[[Any, int | None], str]] = {
    "json": write_json,
    "middle": clip_middle,
    "events": list_events,
    "list": join_list,
    "numbers": lambda numbers, _most: str(list(numbers)),
    "ratio": lambda ratio, _most: f"{ratio:.2f}",
    "and": join_and,
    "or": join_or,
    "compact": write_compact,
    "short": shorten,
    "cause": write_cause,
    "quoted-cause": quote_cause,
    "either": quote_either,
    "start": quote_start,
    "update": partial(quote_start, shown=_SHOWN_UPDATE),
    "around": quote_around,
    "arguments": write_arguments,
    "quoted-arguments": partial(quote_start, shown=_SHOWN_ARGUMENTS),
    "call": write_call,
    "calls": write_calls,
    "input": write_input,
    "declared": write_declared,
    "or-failure": lambda instead, _most: _FAILURE_INSTEAD[instead],
    "ended": write_ended,
    "data": write_data,
    "data-start": take_start,
    "right-data": write_right_data,
    "types": write_types,
    "well-until": write_well_until,
    "suspects": write_suspects,
    "endings": write_endings,
    "said": write_said,
    "error": write_error,
    "crash": write_crash,
    "event": write_event,
    "upstream": write_upstream,
    "despite": write_despite,
    "due-ending": write_due_ending,
    "outside-of-runs": write_outside_of_runs,
    "details": write_details,
    "piece": write_piece,
    "item": write_item,
    "difference": write_difference,
    "schema": write_schema_errors,
    "set": write_set,
    "use": write_use,
    "tool-result": write_tool_result,
    "annotations": write_annotations,
    "quotes": quote_each,
    **{f"first-{n}": partial(take_first, length=n) for n in _LENGTHS},
    **{f"quoted-{n}": partial(quote_first, length=n) for n in _LENGTHS},
    **{f"line-{n}": partial(write_line, length=n) for n in _LENGTHS},
    **{f"json-{n}": partial(write_json_first, length=n) for n in _LENGTHS},
}
"""The formatters by the names that templates have for them."""
