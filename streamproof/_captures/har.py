"""Reads HAR files, as browsers and proxies export them: the exchanges with event streams.

Source: HTTP Archive (HAR) 1.2. A browser may export the messages of an event stream by themselves
(Chromium's ``_eventSourceMessages``), since the body of a stream that is open has no text yet.
"""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from conformance.dialects.recording import Dump, read_dump
from mockserver.dialects.json_fields import listed, mapping, text
from mockserver.faults import UserError
from mockserver.wire.slots import encoded
from streamproof._captures.exchange import NOTHING, Exchange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.script import CloseHow

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
    entries = value["log"]["entries"]
    found = [
        _exchange(mapping(entry), f"{name}: entry {n}" if len(entries) > 1 else name)
        for n, entry in enumerate(entries, 1)
        if _is_of_a_model(mapping(entry))
    ]
    if mapping(value["log"].get("creator")).get("name") == CREATOR:
        return found
    streams = {exchange.url for exchange in found if exchange.plain is None}
    return [exchange for exchange in found if exchange.plain is None or exchange.url in streams]


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
    body = _body(response) or encoded("".join(_lines(_messages(entry))))
    # A proxy of our own says there what it has redacted.
    comment = text(entry.get("comment"))
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
        notes=(f"{PurePath(name).name}: {comment}.",) if comment else (),
    )


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
        return encoded(said)
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
