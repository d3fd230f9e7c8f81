"""Reads what ``curl -N`` and ``curl -iN`` print: an event stream, or a plain answer."""

from __future__ import annotations

import json
import re

from conformance.dialects.recording import read_dump
from mockserver.faults import InputError, Place, Problem
from streamproof._captures.decoding import Unreadable, decompressed
from streamproof._captures.exchange import Exchange

_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})")
_HEADER = re.compile(rb"(?m)^([!#-'*+.^`|~\w-]+):[ \t]*([^\r\n]*)")
_ERROR = 400
_BOM = b"\xef\xbb\xbf"

_LINE_END = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"(?:data|event|id|retry)(?::|\Z)|:|\Z")
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
    notes = _lines_left_out(head, body) if dump.framing else ()
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


def _lines_left_out(head: bytes, body: bytes) -> tuple[str, ...]:
    """A note about lines that are no fields of an event stream, which clients skip."""
    before = len(_LINE_END.findall(head))
    lines = enumerate(_LINE_END.split(body.removeprefix(_BOM)), before + 1)
    others = [(n, line) for n, line in lines if not _FIELD.match(line)]
    if not others:
        return ()
    first, text = others[0]
    shown = repr(text[:_SHOWN].decode("utf-8", "replace"))
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return (
        f"TODO: clients skip what is no field of an event stream: line {first}{more}, {shown}; if "
        "the upstream has sent it, add it as a step raw.",
    )
