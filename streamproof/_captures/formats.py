"""Reads what people have captured: SSE as curl prints it, JSON Lines, HAR, journals, results."""

import json
import re
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from shlex import quote
from typing import Any

from conformance.dialects.recording import MAX_BYTES, MAX_DEPTH, MAX_LINES, Dump, read_dump
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.foundation.json_text import is_deeper, parse
from streamproof._captures.decoding import Decoded, Unreadable, decode_file, decompress
from streamproof._captures.documents import read_document, read_results
from streamproof._captures.exchange import ERROR, Exchange, parse_json
from streamproof._captures.redaction import MAX_DEPTH as MAX_LEVELS

_BOM = b"\xef\xbb\xbf"
_BLANKS = re.compile(r"\s+")
_READ = (
    "what can be read is an event stream as curl -N or curl -iN prints it, one JSON event a line, "
    "a HAR file, the journal of a run (GET /_mock/runs/ID/journal), or a results file"
)


def read_exchanges(data: bytes, name: str) -> list[Exchange]:
    """The exchanges of a capture, in order. Raises InputError with the place of a problem."""
    found = _read_file(data, name)
    for exchange in found:
        values = (exchange.body, *(event.data for event in exchange.dump.events))
        if any(is_deeper(value, MAX_LEVELS) for value in values):
            message = f"a value in it is nested in more than {MAX_LEVELS} levels"
            raise InputError(Problem(message, Place(exchange.name)))
    return found


def _read_file(data: bytes, name: str) -> list[Exchange]:
    if len(data) > MAX_BYTES:
        hint = "cut out the response that matters"
        raise InputError(Problem(f"more than {MAX_BYTES:,} bytes", Place(name), hint))
    file = decode_file(data, name)
    found = _read_text(file.data.removeprefix(_BOM), name)
    return [replace(each, notes=(*file.notes, *each.notes)) for each in found]


def _read_text(data: bytes, name: str) -> list[Exchange]:
    if not data.strip():
        raise InputError(Problem("the file is empty", Place(name), _READ))
    found = read_document(_whole_json(data, name), name)
    found = read_results(data, name) if found is None else found
    if found == []:
        hint = "the answers of a model are event streams, or errors of such requests"
        raise InputError(Problem("it has no response of a model", Place(name), hint))
    if found:
        return found
    try:
        return [_read_curl(data, name)]
    except InputError as error:
        if what := guess_kind(data, name):
            message = f"this looks like {what}, and is no capture"
            raise InputError(Problem(message, Place(name), _READ)) from error
        raise


def _whole_json(data: bytes, name: str) -> Any:
    """The value of a file that is JSON; None if it is not, or JSON Lines.

    Values of several lines, one after the other, as ``jq`` prints them, are read as a list.
    """
    if data.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return parse(data.decode("utf-8"), MAX_DEPTH)
    except json.JSONDecodeError as error:
        if b"\n" in data and parse_json(data.split(b"\n", 1)[0]) is not None:
            return None
        if error.msg == "Extra data":
            return _values(data.decode("utf-8"), name)
        place = Place(name, error.lineno, error.colno)
        raise InputError(Problem(f"not JSON: {error.msg}", place)) from None
    except ValueError:
        return None


def _values(text: str, name: str) -> list[Any]:
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := _after_blanks(text, at)) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            place = Place(name, error.lineno, error.colno)
            raise InputError(Problem(f"not JSON: {error.msg}", place)) from None
        found.append(value)
    return found


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


# What a file is, by the end of its name or the beginning of its text.
_KINDS = (
    ("Markdown", (".md", ".markdown"), rb"(?:#{1,6} \S|```|---\r?\n)"),
    ("a page in HTML", (".htm", ".html"), rb"\s*<(?:!(?i:doctype html)|(?i:html))\b"),
    ("YAML", (".yaml", ".yml"), None),
    ("TOML", (".toml",), None),
    ("XML", (), rb"\s*<\?xml\b"),
    ("a program", (".py", ".js", ".mjs", ".ts"), rb"#!"),
)


def guess_kind(data: bytes, name: str) -> str:
    """What a file is, in words; empty if nothing says so."""
    suffix = PurePath(name).suffix.lower()
    by_name = (what for what, suffixes, _ in _KINDS if suffix in suffixes)
    by_text = (what for what, _, begins in _KINDS if begins and re.match(begins, data))
    return next(chain(by_name, by_text), "")


_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})")
_HEADER = re.compile(rb"(?m)^([!#-'*+.^`|~\w-]+):[ \t]*([^\r\n]*)")

_LINE_END = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"(?:data|event|id|retry)(?::|\Z)|:|\Z")
_SHOWN = 40
_DATA = b"data:"
_WITH_PREFIX = re.compile(rb"[^\r\n]data: ?\{")
_NO_BLANK_LINES = (
    "The capture has no blank lines, which end events; here each line of data is an event, and the "
    "numbers of lines count the blank ones."
)


def _read_curl(data: bytes, name: str) -> Exchange:
    """An event stream, or a plain answer with its headers. Raises InputError if it is neither."""
    status, headers, rest = _parts(data)
    body, notes = _decompress(rest, headers.get("content-encoding", ""), name)
    if status >= ERROR or (headers and isinstance(parse_json(body), dict)):
        return Exchange(name, status=status, headers=headers, plain=body, notes=notes)
    head = data[: len(data) - len(rest)]
    apart = _events_apart(body)
    notes = (*notes, _NO_BLANK_LINES) if apart else notes
    dump = _dump(head + (apart or body), name)
    notes = (*notes, *_lines_left_out(head, body)) if dump.framing else notes
    return Exchange(name, dump, status=status, headers=headers, notes=notes)


def _decompress(body: bytes, encoding: str, name: str) -> Decoded:
    try:
        return decompress(body, encoding)
    except Unreadable as error:
        # With --compressed, curl has decompressed it, and the header is still there.
        if not body[:_SHOWN].isascii():
            raise InputError(Problem(str(error), Place(name), "or use curl --compressed")) from None
        return Decoded(body)


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
    return value == b"[DONE]" or isinstance(parse_json(value), dict)


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
