"""Reads JSON documents of captures: HAR files, journals of a mock, transcripts, results files.

Browsers and proxies export HAR files. A browser may export the messages of an event stream by
themselves (Chromium's ``_eventSourceMessages``), since the body of a stream that is open has no
text yet.

Source: HTTP Archive (HAR) 1.2.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from conformance.contract.transcript import Request, SentEvent, Transcript
from conformance.dialects import KIT
from conformance.dialects.recording import Dump, read_dump
from conformance.report.recorded import Run, parse_runs
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import InputError, Place, Problem, UserError
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.foundation.json_text import encode
from mockserver.scenario.script import CloseHow
from streamproof._captures.exchange import (
    ERROR,
    NOTHING,
    Api,
    Exchange,
    describe_no_stream,
    parse_json,
    read_body,
    recognise_api,
    write_sse,
)

CREATOR = "streamproof"
"""The creator of a HAR file that a proxy of our own has written."""

_SHOWN = 200
# How an answer ended, which only a proxy of our own says.
_CLOSES: dict[str, CloseHow] = {"clean": "clean", "cut": "cut", "reset": "reset"}
_STREAM = "text/event-stream"
_NO_EVENTS = "the journal of a run has them: GET /_mock/runs/ID/journal"


def read_document(value: Any, name: str) -> list[Exchange] | None:
    """The exchanges of a JSON document; None if it is of no known kind.

    Raises InputError if it is invalid, or if nothing can be made of its kind.
    """
    for is_it, read in _DOCUMENTS:
        if is_it(value):
            return read(value, name)
    return None


def read_results(data: bytes, name: str) -> list[Exchange] | None:
    """The exchanges of a results file; None if the first line is not the header of one."""
    try:
        header = mapping(json.loads(data.split(b"\n", 1)[0]))
    except (ValueError, RecursionError):
        return None
    return _read_runs(parse_runs(data, name).runs) if header.get("kind") == "header" else None


def _read_har(value: Any, name: str) -> list[Exchange]:
    """The answers of models in a HAR file: event streams, and errors of requests for them.

    A browser exports everything else that a page has loaded, too; a proxy of our own does not.
    Whole answers of models, which are no streams, are left out with a note in the first exchange.
    Raises InputError if there are no others.
    """
    entries = list(map(mapping, value["log"]["entries"]))
    found = [
        _read_exchange(entry, f"{name}: entry {n}" if len(entries) > 1 else name)
        for n, entry in enumerate(entries, 1)
        if _is_of_a_model(entry)
    ]
    if mapping(value["log"].get("creator")).get("name") != CREATOR:
        streams = {exchange.url for exchange in found if exchange.plain is None}
        found = [each for each in found if each.plain is None or each.url in streams]
    whole = [api for entry in entries if (api := _whole_answer(entry))]
    if not whole:
        return found
    several = f"{len(whole)} whole answers" if len(whole) > 1 else "a whole answer"
    if not found:
        raise InputError(describe_no_stream(f"it has {several}", whole[0], Place(name)))
    apis = " and ".join(dict.fromkeys(api.name for api in whole))
    note = f"{PurePath(name).name}: {several} of {apis}, which came without a stream, left out."
    return [replace(found[0], notes=(*found[0].notes, note)), *found[1:]]


def _whole_answer(entry: dict[str, Any]) -> Api | None:
    response = mapping(entry.get("response"))
    is_json = "json" in _media_type(response) and not _is_of_a_model(entry)
    return recognise_api(parse_json(_body(response))) if is_json else None


def _is_of_a_model(entry: dict[str, Any]) -> bool:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    is_post = text(request.get("method")).upper() == "POST"
    status = response.get("status")
    failed = is_post and isinstance(status, int) and status >= ERROR
    return failed or bool(_messages(entry)) or _STREAM in _media_type(response)


def _media_type(response: dict[str, Any]) -> str:
    content = text(mapping(response.get("content")).get("mimeType"))
    return content or _headers(response).get("content-type", "")


def _headers(message: dict[str, Any]) -> dict[str, str]:
    named = (mapping(each) for each in listed(message.get("headers")))
    return {text(each.get("name")).lower(): text(each.get("value")) for each in named}


def _messages(entry: dict[str, Any]) -> list[Any]:
    """The messages of an event stream, which a browser has beside the answer or inside of it."""
    response = mapping(entry.get("response"))
    for holder in (entry, response, mapping(response.get("content"))):
        if found := listed(holder.get("_eventSourceMessages")):
            return found
    return []


def _read_exchange(entry: dict[str, Any], name: str) -> Exchange:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    status = response.get("status")
    body = _body(response) or encode(
        "".join(_message_lines(each) for each in map(mapping, _messages(entry)))
    )
    is_error = isinstance(status, int) and status >= ERROR
    return Exchange(
        name,
        NOTHING if is_error else _har_events(body, name),
        parse_json(text(mapping(request.get("postData")).get("text"))),
        _headers(request),
        status if isinstance(status, int) and status else 200,
        _headers(response),
        body if is_error else None,
        _CLOSES.get(text(entry.get("_close"))),
        url=text(request.get("url")).partition("?")[0],
        notes=tuple(_proxy_notes(entry, name)),
    )


def _proxy_notes(entry: dict[str, Any], name: str) -> Iterator[str]:
    """What a proxy of our own says: what it has redacted, and that the client left."""
    file = PurePath(name).name
    if comment := text(entry.get("comment")):
        yield f"{file}: {comment}."
    if text(entry.get("_close")) == "left":
        yield f"{file}: the client left before the end of the response."


def _har_events(body: bytes, name: str) -> Dump:
    try:
        return read_dump(body, name)
    except UserError:
        # A stream of which the browser has kept nothing that can be read.
        return NOTHING


def _body(response: dict[str, Any]) -> bytes:
    content = mapping(response.get("content"))
    said = text(content.get("text"))
    if content.get("encoding") != "base64":
        return encode(said)
    try:
        return b64decode(said)
    except ValueError:
        return b""


def _message_lines(message: dict[str, Any]) -> str:
    name, data = text(message.get("eventName")), text(message.get("data"))
    return write_sse(SentEvent(0, 0.0, "raw", "", data), "" if name == "message" else name)


def _is_run(value: Any) -> bool:
    """Whether a JSON document is a transcript, or a result or verdict with one."""
    found = mapping(mapping(value).get("transcript")) or mapping(value)
    return isinstance(found.get("requests"), list) and "parts" in found


def _read_runs(recorded: Iterable[Run]) -> list[Exchange]:
    return [
        _read_request(request, turn)
        for run in recorded
        if run.transcript
        for turn in run.transcript.turns
        for request in turn.answered
    ]


def _read_request(request: Request, transcript: Transcript) -> Exchange:
    answer = request.answer
    run = f"{transcript.case} by {transcript.adapter}"
    return Exchange(
        f"{run}: request {request.n}",
        _read_sent(request.events, transcript.dialect),
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


def _read_journal(value: Any, name: str) -> list[Exchange]:
    """The answers in a journal. Raises InputError if it was fetched without events."""
    entries = [each for each in _entries(value) if each.get("turn") is not None]
    if entries and not any("events" in each or each.get("answer") for each in entries):
        raise InputError(Problem("it has no events", Place(name), _NO_EVENTS))
    return [_read_entry(entry, name) for entry in entries]


def _entries(value: Any) -> Iterator[dict[str, Any]]:
    found = value if isinstance(value, list) else listed(mapping(value).get("exchanges"))
    for each in map(mapping, found):
        if "writes" in each and "path" in each:
            yield each


def _read_entry(entry: dict[str, Any], name: str) -> Exchange:
    answer = mapping(entry.get("answer"))
    # As in an id of a case; whether it exists is not asked.
    named = text(entry.get("case")).partition("@")[2].partition("+")[0]
    dialect = named if named in KIT else ""
    return Exchange(
        f"{name}: request {entry.get('n')}",
        _read_sent(_events(listed(entry.get("events"))), dialect),
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


def _read_sent(items: Iterable[SentEvent], dialect: str) -> Dump:
    """What a client has read of these items; raw text may be a part of an event, or several."""
    named = bool(dialect) and DIALECTS[dialect].framing.event_line
    lines = (
        str(each.data)
        if each.kind == "raw"
        else write_sse(each, each.type if named and each.kind == "event" else "")
        for each in items
    )
    return Dump(read_body(encode("".join(lines)), "the journal"), None)


def _events(found: list[Any]) -> Iterator[SentEvent]:
    for n, event in enumerate(map(mapping, found)):
        kind = text(event.get("kind")) or "event"
        yield SentEvent(n, 0.0, kind, text(event.get("type")), event.get("data"))


def _read_events(value: Any, name: str) -> list[Exchange]:
    lines = "\n".join(json.dumps(event, ensure_ascii=True) for event in value)
    return [Exchange(name, read_dump(lines.encode(), name))]


def _is_answer(value: Any) -> bool:
    """Whether a document is an answer as a whole, which is no event."""
    found = mapping(value)
    is_error = bool(found.get("error")) and "type" not in found and "choices" not in found
    return is_error or bool(recognise_api(found))


def _refuse_answer(value: Any, name: str) -> list[Exchange]:
    if api := recognise_api(value):
        raise InputError(describe_no_stream("this is a whole answer", api, Place(name)))
    error = value["error"]
    said = text(mapping(error).get("message")) or text(error)
    message = "this is the body of an error, and its status is not there"
    message += f": {said[:_SHOWN]!r}" if said else ""
    hint = "curl -iN prints the status, too, and such an answer can be imported"
    raise InputError(Problem(message, Place(name), hint))


def _refuse_har(_value: Any, name: str) -> list[Exchange]:
    message = "this looks like a HAR file, but its log has no list of entries"
    hint = "save it again: 'Save all as HAR with content' in the developer tools of a browser"
    raise InputError(Problem(message, Place(name), hint))


_DOCUMENTS: Sequence[tuple[Callable[[Any], bool], Callable[[Any, str], list[Exchange]]]] = (
    (lambda v: isinstance(mapping(mapping(v).get("log")).get("entries"), list), _read_har),
    (lambda value: isinstance(mapping(value).get("log"), dict), _refuse_har),
    (lambda value: any(_entries(value)), _read_journal),
    (_is_run, lambda value, name: _read_runs(parse_runs(json.dumps(value).encode(), name).runs)),
    (_is_answer, _refuse_answer),
    (lambda value: isinstance(value, list) and bool(value), _read_events),
)
