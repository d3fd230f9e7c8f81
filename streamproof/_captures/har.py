"""Reads HAR files, as browsers and proxies export them: the exchanges with event streams.

Source: HTTP Archive (HAR) 1.2. A browser may export the messages of an event stream by themselves
(Chromium's ``_eventSourceMessages``), since the body of a stream that is open has no text yet.
"""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from conformance.dialects.recording import Dump, read_dump
from mockserver.foundation.faults import InputError, Place, UserError
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.foundation.json_text import encode
from streamproof._captures.exchange import NOTHING, Exchange
from streamproof._captures.whole_answer import api_of_body, no_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.script import CloseHow
    from streamproof._captures.whole_answer import Api

CREATOR = "streamproof"
"""The creator of a HAR file that a proxy of our own has written."""

_ERROR = 400
_CLOSES: dict[str, CloseHow] = {"clean": "clean", "cut": "cut", "reset": "reset"}
_STREAM = "text/event-stream"


def is_har(value: Any) -> bool:
    """Whether a JSON document is a HAR file."""
    return isinstance(mapping(mapping(value).get("log")).get("entries"), list)


def of_har(value: Any, name: str) -> list[Exchange]:
    """The answers of models in a HAR file: event streams, and errors of requests for them.

    A browser exports everything else that a page has loaded, too; a proxy of our own does not.
    """
    entries = list(map(mapping, value["log"]["entries"]))
    found = [
        _exchange(entry, f"{name}: entry {n}" if len(entries) > 1 else name)
        for n, entry in enumerate(entries, 1)
        if _is_of_a_model(entry)
    ]
    if mapping(value["log"].get("creator")).get("name") != CREATOR:
        streams = {exchange.url for exchange in found if exchange.plain is None}
        found = [each for each in found if each.plain is None or each.url in streams]
    return _with_whole_answers(found, entries, name)


def _with_whole_answers(
    found: list[Exchange], entries: list[dict[str, Any]], name: str
) -> list[Exchange]:
    """The exchanges; the first has a note on answers that are no streams, which are left out.

    Raises InputError if there are no others.
    """
    whole = [api for entry in entries if (api := _whole_answer(entry))]
    if not whole:
        return found
    several = f"{len(whole)} whole answers" if len(whole) > 1 else "a whole answer"
    if not found:
        raise InputError(no_stream(f"it has {several}", whole[0], Place(name)))
    apis = " and ".join(dict.fromkeys(api.name for api in whole))
    note = f"{PurePath(name).name}: {several} of {apis}, which came without a stream, left out."
    return [replace(found[0], notes=(*found[0].notes, note)), *found[1:]]


def _whole_answer(entry: dict[str, Any]) -> Api | None:
    response = mapping(entry.get("response"))
    is_json = "json" in _media_type(response) and not _is_of_a_model(entry)
    return api_of_body(_body(response)) if is_json else None


def _is_of_a_model(entry: dict[str, Any]) -> bool:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    is_post = text(request.get("method")).upper() == "POST"
    status = response.get("status")
    failed = is_post and isinstance(status, int) and status >= _ERROR
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


def _exchange(entry: dict[str, Any], name: str) -> Exchange:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    status = response.get("status")
    body = _body(response) or encode("".join(_lines(_messages(entry))))
    is_error = isinstance(status, int) and status >= _ERROR
    return Exchange(
        name,
        NOTHING if is_error else _dump(body, name),
        _json(text(mapping(request.get("postData")).get("text"))),
        _headers(request),
        status if isinstance(status, int) and status else 200,
        _headers(response),
        body if is_error else None,
        _close(entry),
        url=text(request.get("url")).partition("?")[0],
        notes=tuple(_notes(entry, name)),
    )


def _notes(entry: dict[str, Any], name: str) -> Iterator[str]:
    """What a proxy of our own says: what it has redacted, and that the client left."""
    file = PurePath(name).name
    if comment := text(entry.get("comment")):
        yield f"{file}: {comment}."
    if text(entry.get("_close")) == "left":
        yield f"{file}: the client left before the end of the response."


def _close(entry: dict[str, Any]) -> CloseHow | None:
    """How the answer ended, which only a proxy of our own says."""
    return _CLOSES.get(text(entry.get("_close")))


def _dump(body: bytes, name: str) -> Dump:
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


def _lines(messages: list[Any]) -> Iterator[str]:
    """The messages of an event stream as the lines that they were sent in."""
    for message in map(mapping, messages):
        name = text(message.get("eventName"))
        yield f"event: {name}\n" if name not in ("", "message") else ""
        yield "".join(f"data: {line}\n" for line in text(message.get("data")).split("\n"))
        yield "\n"


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
