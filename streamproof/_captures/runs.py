"""Reads what streamproof itself has recorded: journals of a mock, transcripts, results files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.recording import Dump, read_dump
from conformance.report.recorded import parse_runs
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.foundation.json_text import dump as compact_json
from mockserver.foundation.json_text import encode
from streamproof._captures.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.contract.transcript import Request, Transcript
    from conformance.report.recorded import Run

# With headers, a stream may have nothing that is JSON.
_HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
_NO_EVENTS = "the journal of a run has them: GET /_mock/runs/ID/journal"


def begins_results(data: bytes) -> bool:
    """Whether the first line is the header of a results file."""
    try:
        return mapping(json.loads(data.split(b"\n", 1)[0])).get("kind") == "header"
    except (ValueError, RecursionError):
        return False


def is_run(value: Any) -> bool:
    """Whether a JSON document is a transcript, or a result or verdict with one."""
    found = mapping(mapping(value).get("transcript")) or mapping(value)
    return isinstance(found.get("requests"), list) and "parts" in found


def of_document(value: Any, name: str) -> list[Exchange]:
    """The exchanges of a transcript. Raises InputError if it is invalid."""
    return of_runs(parse_runs(json.dumps(value).encode(), name).runs)


def of_runs(recorded: Iterable[Run]) -> list[Exchange]:
    """The answered requests of recorded runs, in order."""
    transcripts = [run.transcript for run in recorded if run.transcript]
    return [
        _of_request(request, turn)
        for transcript in transcripts
        for turn in transcript.turns
        for request in turn.answered
    ]


def _of_request(request: Request, transcript: Transcript) -> Exchange:
    answer = request.answer
    run = f"{transcript.case} by {transcript.adapter}"
    return Exchange(
        f"{run}: request {request.n}",
        _received(request.events, transcript.dialect),
        request.body,
        request.headers,
        request.status,
        answer.headers if answer else {},
        answer.body.encode() if answer else None,
        None if request.left else request.close,
        transcript.dialect,
        request.path,
        run,
    )


def is_journal(value: Any) -> bool:
    """Whether a JSON document is the journal of a run or of a server."""
    return bool(list(_entries(value)))


def of_journal(value: Any, name: str) -> list[Exchange]:
    """The answers in a journal. Raises InputError if it was fetched without events."""
    entries = [each for each in _entries(value) if each.get("turn") is not None]
    if entries and not any("events" in each or each.get("answer") for each in entries):
        raise InputError(Problem("it has no events", Place(name), _NO_EVENTS))
    return [_of_entry(entry, name) for entry in entries]


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    found = value if isinstance(value, list) else listed(mapping(value).get("exchanges"))
    for each in map(mapping, found):
        if "writes" in each and "path" in each:
            yield each


def _of_entry(entry: dict[str, Any], name: str) -> Exchange:
    answer = mapping(entry.get("answer"))
    # As in an id of a case; whether it exists is not asked.
    named = text(entry.get("case")).partition("@")[2].partition("+")[0]
    dialect = named if named in KIT else ""
    return Exchange(
        f"{name}: request {entry.get('n')}",
        _received(_events(listed(entry.get("events"))), dialect),
        entry.get("body"),
        _texts(entry.get("headers")),
        status if isinstance(status := entry.get("status"), int) else 200,
        _texts(answer.get("headers")),
        text(answer.get("body")).encode() if answer else None,
        dialect=dialect,
        url=text(entry.get("path")),
    )


def _texts(value: Any) -> dict[str, str]:
    return {name: inner for name, inner in mapping(value).items() if isinstance(inner, str)}


def _received(items: Iterable[SentEvent], dialect: str) -> Dump:
    """What a client has read of these items; raw text may be a part of an event, or several."""
    named = bool(dialect) and DIALECTS[dialect].framing.event_line
    text = "".join(_lines(item, named) for item in items)
    return Dump(read_dump(_HEAD + encode(text), "the journal").events, None)


def _lines(item: SentEvent, named: bool) -> str:
    if item.kind == "raw":
        return str(item.data)
    if item.kind == "comment":
        return f": {item.data}\n\n"
    if item.kind == "done":
        return f"data: {item.type}\n\n"
    name = f"event: {item.type}\n" if named and item.type else ""
    return f"{name}data: {compact_json(item.data)}\n\n"


def _events(found: list[Any]) -> Iterator[SentEvent]:
    for n, event in enumerate(map(mapping, found)):
        kind = text(event.get("kind")) or "event"
        yield SentEvent(n, 0.0, kind, text(event.get("type")), event.get("data"))
