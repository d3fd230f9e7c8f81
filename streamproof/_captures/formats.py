"""Reads what people have captured: SSE as curl prints it, JSON Lines, HAR, journals, results."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.dialects.recording import MAX_BYTES, MAX_DEPTH, read_dump
from conformance.report.recorded import parse_runs
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.foundation.json_fields import mapping, text
from mockserver.foundation.json_text import is_deeper, parse
from streamproof._captures import har, runs
from streamproof._captures.curl_output import of_curl
from streamproof._captures.decoding import decoded_file
from streamproof._captures.exchange import Exchange
from streamproof._captures.lookalike import looks_like
from streamproof._captures.redaction import MAX_DEPTH as MAX_LEVELS
from streamproof._captures.whole_answer import api_of, no_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BOM = b"\xef\xbb\xbf"
_SHOWN = 200
_BLANKS = re.compile(r"\s+")
_READ = (
    "what can be read is an event stream as curl -N or curl -iN prints it, one JSON event a line, "
    "a HAR file, the journal of a run (GET /_mock/runs/ID/journal), or a results file"
)


def exchanges_in(data: bytes, name: str) -> list[Exchange]:
    """The exchanges of a capture, in order. Raises InputError with the place of a problem."""
    found = _exchanges(data, name)
    for exchange in found:
        values = (exchange.body, *(event.data for event in exchange.dump.events))
        if any(is_deeper(value, MAX_LEVELS) for value in values):
            message = f"a value in it is nested in more than {MAX_LEVELS} levels"
            raise InputError(Problem(message, Place(exchange.name)))
    return found


def _exchanges(data: bytes, name: str) -> list[Exchange]:
    if len(data) > MAX_BYTES:
        hint = "cut out the response that matters"
        raise InputError(Problem(f"more than {MAX_BYTES:,} bytes", Place(name), hint))
    file = decoded_file(data, name)
    found = _in_text(file.data.removeprefix(_BOM), name)
    return [replace(each, notes=(*file.notes, *each.notes)) for each in found]


def _in_text(data: bytes, name: str) -> list[Exchange]:
    if not data.strip():
        raise InputError(Problem("the file is empty", Place(name), _READ))
    value = _whole_json(data, name)
    for reads, read in _DOCUMENTS:
        if value is not None and reads(value):
            return _some(read(value, name), name)
    if runs.begins_results(data):
        return _some(runs.of_runs(parse_runs(data, name).runs), name)
    try:
        return [of_curl(data, name)]
    except InputError as error:
        if what := looks_like(data, name):
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
        if data.count(b"\n") and _first_line_is_json(data):
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


def _first_line_is_json(data: bytes) -> bool:
    try:
        json.loads(data.split(b"\n", 1)[0])
    except ValueError:
        return False
    return True


def _events(value: Any, name: str) -> list[Exchange]:
    """A list of events as one JSON document."""
    lines = "\n".join(json.dumps(event, ensure_ascii=True) for event in value)
    return [Exchange(name, read_dump(lines.encode(), name))]


def _is_answer(value: Any) -> bool:
    """Whether a document is an answer as a whole, which is no event."""
    found = mapping(value)
    is_error = bool(found.get("error")) and "type" not in found and "choices" not in found
    return is_error or bool(api_of(found))


def _refuse_answer(value: Any, name: str) -> list[Exchange]:
    if api := api_of(value):
        raise InputError(no_stream("this is a whole answer", api, Place(name)))
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
    (har.is_har, har.of_har),
    (lambda value: isinstance(mapping(value).get("log"), dict), _refuse_har),
    (runs.is_journal, runs.of_journal),
    (runs.is_run, runs.of_document),
    (_is_answer, _refuse_answer),
    (lambda value: isinstance(value, list) and bool(value), _events),
)


def _some(found: list[Exchange], name: str) -> list[Exchange]:
    if not found:
        hint = "the answers of a model are event streams, or errors of such requests"
        raise InputError(Problem("it has no response of a model", Place(name), hint))
    return found
