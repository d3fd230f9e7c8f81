"""Broken responses: the order of the stream, its beginning, its end, and the response object."""

from __future__ import annotations

from tests.stream import ERROR, FAILED, INCOMPLETE, LEGAL, Change, Events, Json, lifecycle
from tests.stream.broken import Broken
from tests.stream.changes import after, again, drop, edit, swap

_SLUG: Json = {"type": "acme:trace_event"}


def _numbers(*changed: tuple[int, int]) -> Change:
    return lambda events: [
        {**e, "sequence_number": dict(changed).get(e["sequence_number"], e["sequence_number"])}
        for e in events
    ]


def _reversed(events: Events) -> Events:
    return [*reversed(events[:-1]), events[-1]]


def _plus(step: int, since: int = 0) -> Change:
    return lambda events: [
        {**event, "sequence_number": n + (step if n >= since else 0)}
        for n, event in enumerate(events)
    ]


SEQUENCE = (
    Broken(
        "seqbad",
        "stream-sequence",
        level="should",
        numbers=lambda events: [{**event, "sequence_number": 0} for event in events],
    ),
    Broken("shuffled", "stream-sequence", numbers=_reversed),
    Broken(
        "shuffled, and numbered as they come",
        "item-announced",
        _reversed,
        times=4,
        also=("stream-lifecycle",),
    ),
    Broken(
        "two deltas of a text come in the wrong order",
        "stream-sequence",
        numbers=swap("output_text.delta"),
    ),
    Broken(
        "two numbers change places",
        "stream-sequence",
        level="should",
        numbers=_numbers((24, 25), (25, 24)),
    ),
    Broken(
        "deltas of two calls come in the wrong order",
        "stream-sequence",
        level="should",
        numbers=swap("function_call_arguments.delta"),
    ),
    Broken("numbers begin with 1", "stream-sequence", level="should", numbers=_plus(1)),
    Broken("a number is left out", "stream-sequence", level="should", numbers=_plus(1, since=20)),
    Broken(
        "a vendor's event repeats a number",
        "stream-sequence",
        after("in_progress", 0, _SLUG),
        numbers=_numbers((2, 1)),
    ),
)

ENDS = (
    Broken("nestederror", "error-followed", after("output_text.delta", 0, ERROR)),
    Broken("an error, and the stream is over", "error-followed", drop("failed"), of=tuple(FAILED)),
    Broken(
        "an error, more of the answer, and then the failure",
        "error-followed",
        swap("output_text.delta"),
        level="should",
        of=tuple(FAILED),
    ),
    Broken("truncated", "terminal-once", lambda events: events[:-9]),
    Broken("no end", "terminal-once", drop("completed")),
    Broken("afterterminal", "terminal-once", after("completed", 0, LEGAL[11])),
    Broken("dupcompleted", "terminal-once", again("completed")),
    Broken("failed after completed", "terminal-once", after("completed", 0, lifecycle("failed"))),
    Broken("an item is done after the end", "terminal-once", swap("output_item.done", -1)),
)

BEGINNINGS = (
    Broken("no created", "stream-lifecycle", drop("created"), level="should"),
    Broken("created twice", "stream-lifecycle", again("created"), level="should"),
    Broken("created comes second", "stream-lifecycle", swap("created"), level="should"),
    Broken("no in_progress", "stream-lifecycle", drop("in_progress"), level="should"),
    Broken("an item before in_progress", "stream-lifecycle", swap("in_progress"), level="should"),
    Broken(
        "queued after in_progress",
        "stream-lifecycle",
        after("in_progress", 0, lifecycle("queued")),
    ),
)


def _ends(**fields: object) -> Change:
    return edit("completed", response=fields)


HONESTY = (
    Broken("statuslie", "status-honest", edit("created", response={"status": "completed"})),
    Broken("completed says in_progress", "status-honest", _ends(status="in_progress")),
    Broken(
        "completed is in progress in every respect",
        "status-honest",
        _ends(status="in_progress", completed_at=None, usage=None),
    ),
    Broken("completed says failed", "status-honest", _ends(status="failed")),
    Broken("nousage", "status-honest", _ends(usage=None), level="should"),
    Broken("no time of completion", "status-honest", _ends(completed_at=None), level="should"),
    Broken(
        "completed with an error",
        "status-honest",
        _ends(error={"code": "server_error", "message": "It broke."}),
        level="should",
    ),
    Broken(
        "failed without an error",
        "status-honest",
        edit("failed", response={"error": None}),
        level="should",
        of=tuple(FAILED),
    ),
    Broken(
        "incomplete without a reason",
        "status-honest",
        edit("incomplete", response={"incomplete_details": None}),
        level="should",
        of=tuple(INCOMPLETE),
    ),
    Broken(
        "created with an output",
        "status-honest",
        edit("created", response={"output": LEGAL[-1]["response"]["output"]}),
        level="should",
    ),
    Broken("respidchange", "response-stable", _ends(id="resp_2"), level="should"),
)

RESPONSES = (*SEQUENCE, *ENDS, *BEGINNINGS, *HONESTY)
