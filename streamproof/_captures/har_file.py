"""Writes an exchange that was seen by a proxy as a HAR file, without secrets.

The times of the pieces of the answer are in ``_chunks``, each with the milliseconds since the
request and its bytes as the upstream sent them, before decompression. How the answer ended, if it
did not end properly, is in ``_close``.

Source: HTTP Archive (HAR) 1.2; names that begin with an underscore are one's own.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from conformance.dialects.recording import read_dump
from mockserver import __version__
from mockserver.foundation.faults import UserError
from mockserver.foundation.json_text import dump as compact_json
from mockserver.foundation.json_text import is_deeper
from mockserver.server.journal import REDACTED, redact_headers
from streamproof._captures.decoding import Unreadable, decompressed
from streamproof._captures.har import CREATOR
from streamproof._captures.redaction import MAX_DEPTH, Redaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import SentEvent
    from streamproof._captures.proxy import Seen

_STREAM = "text/event-stream"
_OF_AN_ACCOUNT = frozenset(("openai-organization", "openai-project", "x-organization-id"))


@dataclass(slots=True)
class _Body:
    """The text of an answer, and why it is not what the upstream sent."""

    text: str
    notes: list[str] = field(default_factory=list)


def har_of(seen: Seen) -> bytes:
    """The HAR file of an exchange, with keys, addresses and the names in paths redacted."""
    redaction = Redaction()
    request_type = _header(seen.request_headers, "content-type")
    body = _answer(seen, redaction)
    took = round(1000 * max((at for at, _ in seen.chunks), default=0.0), 3)
    entry = {
        "startedDateTime": datetime.fromtimestamp(seen.at, UTC).isoformat(),
        "time": took,
        "request": {
            "method": seen.method,
            "url": redaction.text(seen.url),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _headers(seen.request_headers, redaction),
            "queryString": [],
            "postData": {"mimeType": request_type, "text": _request(seen, redaction)},
            "headersSize": -1,
            "bodySize": len(seen.request),
        },
        "response": {
            "status": seen.status,
            "statusText": seen.reason,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _headers(seen.headers, redaction),
            "content": {
                "size": len(body.text),
                "mimeType": _header(seen.headers, "content-type"),
                "text": body.text,
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": sum(len(data) for _, data in seen.chunks),
        },
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": took},
        "_chunks": [[round(1000 * at, 3), len(data)] for at, data in seen.chunks],
        "_close": "left" if seen.left else seen.close,
        "comment": "; ".join((*body.notes, *_notes(seen, redaction))),
    }
    creator = {"name": CREATOR, "version": __version__}
    log = {"log": {"version": "1.2", "creator": creator, "entries": [entry]}}
    return (json.dumps(log, ensure_ascii=True, indent=1) + "\n").encode()


def _notes(seen: Seen, redaction: Redaction) -> list[str]:
    notes = [f"redacted: {redaction}"] if str(redaction) else []
    return [*notes, "too long: not all of it was kept"] if seen.cut else notes


def _headers(headers: Sequence[tuple[str, str]], redaction: Redaction) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "value": REDACTED if name.lower() in _OF_AN_ACCOUNT else redaction.text(value),
        }
        for name, value in redact_headers(headers).items()
    ]


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")


def _request(seen: Seen, redaction: Redaction) -> str:
    data = bytes(seen.request)
    with suppress(Unreadable):
        data = decompressed(data, _header(seen.request_headers, "content-encoding")).data
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return redaction.text(text)
    if is_deeper(value, MAX_DEPTH):
        return redaction.text(text)
    return json.dumps(redaction.value(value), ensure_ascii=False)


def _answer(seen: Seen, redaction: Redaction) -> _Body:
    encoding = _header(seen.headers, "content-encoding")
    try:
        data = decompressed(seen.body, encoding).data
    except Unreadable as error:
        return _Body("", [str(error)])
    text = data.decode("utf-8", "replace")
    if _STREAM not in _header(seen.headers, "content-type"):
        return _Body(redaction.text(text))
    return _Body(_stream(data, text, redaction))


def _stream(data: bytes, text: str, redaction: Redaction) -> str:
    """The lines of an event stream; written again from its events if those have secrets."""
    try:
        dump = read_dump(data, "the answer")
    except UserError:
        return redaction.text(text)
    if any(is_deeper(event.data, MAX_DEPTH) for event in dump.events):
        return redaction.text(text)
    clean = redaction.events(dump.events)
    if clean == dump.events:
        return redaction.text(text)
    names = dump.framing.names if dump.framing else {}
    return "".join(_lines(event, names.get(event.n, "")) for event in clean)


def _lines(event: SentEvent, name: str) -> str:
    if event.kind == "comment":
        return f": {event.data}\n\n"
    data = compact_json(event.data) if event.kind == "event" else event.data or event.type
    named = f"event: {name}\n" if name else ""
    return named + "".join(f"data: {line}\n" for line in str(data).split("\n")) + "\n"
