"""Reads what ``curl -N`` and ``curl -iN`` print: an event stream, or a plain answer."""

from __future__ import annotations

import json
import re

from conformance.dialects.recording import read_dump
from mockserver.faults import InputError, Place, Problem
from mockserver.visible import visible
from streamproof._captures.decoding import Unreadable, decompressed
from streamproof._captures.exchange import Exchange

_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})")
_HEADER = re.compile(rb"(?m)^([!#-'*+.^`|~\w-]+):[ \t]*([^\r\n]*)")
_ERROR = 400

_LINE = re.compile(rb"[^\r\n]+")
_FIELD = re.compile(rb"(?:data|event|id|retry)(?::|\Z)|:")
_MOST_SHOWN = 3
_SHOWN = 40


def of_curl(data: bytes, name: str) -> Exchange:
    """An event stream, or a plain answer with its headers. Raises InputError if it is neither."""
    status, headers, body = _parts(data)
    try:
        body = decompressed(body, headers.get("content-encoding", ""))
    except Unreadable as error:
        # With --compressed, curl has decompressed it, and the header is still there.
        if not body[:_SHOWN].isascii():
            raise InputError(Problem(str(error), Place(name), "or use curl --compressed")) from None
    if status >= _ERROR or (headers and _is_json(body)):
        return Exchange(name, status=status, headers=headers, plain=body)
    head = data[: len(data) - len(_parts(data)[2])]
    dump = read_dump(head + body, name)
    notes = _lines_left_out(body) if dump.framing else ()
    return Exchange(name, dump, status=status, headers=headers, notes=notes)


def _parts(data: bytes) -> tuple[int, dict[str, str], bytes]:
    """The last status and headers, and the body; 200 and none if there are none."""
    status, rest = 200, data
    headers: dict[str, str] = {}
    while found := _STATUS.match(rest):
        head, _, rest = rest.partition(b"\r\n\r\n" if b"\r\n\r\n" in rest else b"\n\n")
        status = int(found[1])
        headers = {
            key.decode("latin-1").lower(): value.decode("latin-1").strip()
            for key, value in _HEADER.findall(head.partition(b"\n")[2])
        }
    return status, headers, rest


def _is_json(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False


def _lines_left_out(body: bytes) -> tuple[str, ...]:
    """A note about lines that are no fields of an event stream, which no client reads."""
    others = [line[0] for line in _LINE.finditer(body) if not _FIELD.match(line[0])]
    if not others:
        return ()
    shown = (line[:_SHOWN].decode("utf-8", "replace") for line in others[:_MOST_SHOWN])
    quoted = ", ".join(visible(repr(line)) for line in shown)
    more = ", …" if len(others) > _MOST_SHOWN else ""
    lines = "1 line is" if len(others) == 1 else f"{len(others)} lines are"
    return (f"{lines} no field of an event stream, so clients skip that: {quoted}{more}.",)
