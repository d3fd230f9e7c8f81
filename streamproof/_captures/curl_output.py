"""Reads what ``curl -N`` and ``curl -iN`` print: an event stream, or a plain answer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from shlex import quote

from conformance.dialects.recording import MAX_LINES, Dump, read_dump
from mockserver.foundation.faults import InputError, Place, Problem
from streamproof._captures.decoding import Unreadable, decompressed
from streamproof._captures.exchange import Exchange

_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})")
_HEADER = re.compile(rb"(?m)^([!#-'*+.^`|~\w-]+):[ \t]*([^\r\n]*)")
_ERROR = 400
_BOM = b"\xef\xbb\xbf"

_LINE_END = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"(?:data|event|id|retry)(?::|\Z)|:|\Z")
_SHOWN = 40
_DATA = b"data:"
_WITH_PREFIX = re.compile(rb"[^\r\n]data: ?\{")
_NO_BLANK_LINES = (
    "The capture has no blank lines, which end events; here each line of data is an event, and the "
    "numbers of lines count the blank ones."
)


def of_curl(data: bytes, name: str) -> Exchange:
    """An event stream, or a plain answer with its headers. Raises InputError if it is neither."""
    status, headers, rest = _parts(data)
    body, notes = _decompressed(rest, headers.get("content-encoding", ""), name)
    if status >= _ERROR or (headers and _is_json(body)):
        return Exchange(name, status=status, headers=headers, plain=body, notes=notes)
    head = data[: len(data) - len(rest)]
    apart = _events_apart(body)
    notes = (*notes, _NO_BLANK_LINES) if apart else notes
    dump = _dump(head + (apart or body), name)
    notes = (*notes, *_lines_left_out(head, body)) if dump.framing else notes
    return Exchange(name, dump, status=status, headers=headers, notes=notes)


def _decompressed(body: bytes, encoding: str, name: str) -> tuple[bytes, tuple[str, ...]]:
    """The body before compression, and notes about it. Raises InputError."""
    try:
        found = decompressed(body, encoding)
    except Unreadable as error:
        # With --compressed, curl has decompressed it, and the header is still there.
        if not body[:_SHOWN].isascii():
            raise InputError(Problem(str(error), Place(name), "or use curl --compressed")) from None
        return body, ()
    return found.data, found.notes


def _dump(data: bytes, name: str) -> Dump:
    """The events. Raises InputError, with what to do if something stands before each field."""
    try:
        return read_dump(data, name)
    except InputError as error:
        if not _WITH_PREFIX.search(data):
            raise
        hint = f"take off what stands before each 'data:': sed 's/^.*data:/data:/' {quote(name)}"
        raise InputError(*(replace(each, hint=hint) for each in error.problems)) from None


def _events_apart(body: bytes) -> bytes:
    """An event stream whose blank lines are gone, with one after each event.

    Logs often leave them out. Empty unless there are several lines of data, all of them JSON or
    ``[DONE]``, and no blank line between fields. The last line may be cut off.
    """
    lines = _LINE_END.split(body.removeprefix(_BOM).strip(), MAX_LINES)
    if not all(lines):
        return b""
    data = [line[len(_DATA) :].strip() for line in lines if line.startswith(_DATA)]
    if len(data) <= 1 or not all(map(_is_data, data[:-1])):
        return b""
    *before, last = lines
    whole = b"".join(line + (b"\n\n" if line.startswith(_DATA) else b"\n") for line in before)
    is_whole = last.startswith(_DATA) and _is_data(data[-1])
    return whole + last + (b"\n\n" if is_whole else b"")


def _is_data(value: bytes) -> bool:
    return value == b"[DONE]" or _is_json(value)


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
