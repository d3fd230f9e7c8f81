"""Reads what people have captured: SSE as curl prints it, JSON Lines, HAR, journals, results."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from conformance.contract.recorded import parse_runs
from conformance.dialects.recording import MAX_BYTES, MAX_DEPTH, read_dump
from mockserver.faults import Place, Problem, UserError
from mockserver.json_text import is_deeper, parse
from streamproof._captures import har, runs
from streamproof._captures.exchange import Exchange
from streamproof._captures.redaction import MAX_DEPTH as MAX_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BOM = b"\xef\xbb\xbf"
_KNOWN = (
    "an event stream as curl -N or curl -iN prints it, one JSON event a line, a HAR file, the "
    "journal of a run (GET /_mock/runs/ID/journal), or a results file"
)


def exchanges_in(data: bytes, name: str) -> list[Exchange]:
    """The exchanges of a capture, in order. Raises UserError with the place of a problem."""
    found = _exchanges(data, name)
    for exchange in found:
        values = (exchange.body, *(event.data for event in exchange.dump.events))
        if any(is_deeper(value, MAX_LEVELS) for value in values):
            message = f"a value in it is nested in more than {MAX_LEVELS} levels"
            raise UserError(Problem(message, Place(exchange.name)))
    return found


def _exchanges(data: bytes, name: str) -> list[Exchange]:
    if len(data) > MAX_BYTES:
        hint = "cut out the response that matters"
        raise UserError(Problem(f"more than {MAX_BYTES:,} bytes", Place(name), hint))
    if not data.strip():
        raise UserError(Problem("the file is empty", Place(name), f"what can be read is {_KNOWN}"))
    data = data.removeprefix(_BOM)
    value = _whole_json(data, name)
    for reads, read in _DOCUMENTS:
        if value is not None and reads(value):
            return _some(read(value, name), name)
    if runs.begins_results(data):
        return _some(runs.of_runs(parse_runs(data, name).runs), name)
    return [_of_curl(data, name)]


def _whole_json(data: bytes, name: str) -> Any:
    """The value of a file that is one JSON document; None if it is not."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return parse(data.decode("utf-8"), MAX_DEPTH)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" or (data.count(b"\n") > 0 and _first_line_is_json(data)):
            return None
        place = Place(name, error.lineno, error.colno)
        raise UserError(Problem(f"not JSON: {error.msg}", place)) from None
    except ValueError:
        return None


def _first_line_is_json(data: bytes) -> bool:
    try:
        json.loads(data.split(b"\n", 1)[0])
    except ValueError:
        return False
    return True


_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})")
_HEADER = re.compile(rb"(?m)^([!#-'*+.^`|~\w-]+):[ \t]*([^\r\n]*)")
_ERROR = 400


def _of_curl(data: bytes, name: str) -> Exchange:
    """An event stream, or the answer of an error, with its headers as ``curl -i`` prints them."""
    status, rest = 200, data
    headers: dict[str, str] = {}
    while found := _STATUS.match(rest):
        head, _, rest = rest.partition(b"\r\n\r\n" if b"\r\n\r\n" in rest else b"\n\n")
        status = int(found[1])
        headers = {
            key.decode("latin-1").lower(): value.decode("latin-1").strip()
            for key, value in _HEADER.findall(head.partition(b"\n")[2])
        }
    if status >= _ERROR:
        return Exchange(name, status=status, headers=headers, plain=rest)
    return Exchange(name, read_dump(data, name), status=status, headers=headers)


def _events(value: Any, name: str) -> list[Exchange]:
    """A list of events as one JSON document."""
    lines = "\n".join(json.dumps(event, ensure_ascii=True) for event in value)
    return [Exchange(name, read_dump(lines.encode(), name))]


_DOCUMENTS: Sequence[tuple[Callable[[Any], bool], Callable[[Any, str], list[Exchange]]]] = (
    (har.is_har, har.of_har),
    (runs.is_journal, runs.of_journal),
    (runs.is_run, runs.of_document),
    (lambda value: isinstance(value, list) and bool(value), _events),
)


def _some(found: list[Exchange], name: str) -> list[Exchange]:
    if not found:
        hint = "the answers of a model are event streams, or errors of such requests"
        raise UserError(Problem("it has no response of a model", Place(name), hint))
    return found
