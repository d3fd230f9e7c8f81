"""Keeps what a proxy has seen: a HAR file for each exchange, a scenario for each conversation.

HAR files have no secrets. The times of the pieces of an answer are in ``_chunks``, each with the
milliseconds since the request and its bytes as the upstream sent them, before decompression. How
the answer ended, if it did not end properly, is in ``_close``.

Source: HTTP Archive (HAR) 1.2; names that begin with an underscore are one's own.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from conformance.dialects.recording import read_dump
from mockserver import __version__
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Fault, UserError
from mockserver.foundation.json_text import encode, is_deeper
from mockserver.server.journal import REDACTED, redact_headers
from streamproof._captures.conversation import Conversation, find_conversations
from streamproof._captures.decoding import Unreadable, decompress
from streamproof._captures.documents import CREATOR
from streamproof._captures.exchange import ERROR, Exchange, parse_json, write_sse
from streamproof._captures.formats import read_exchanges
from streamproof._captures.importing import add_dialects, explain_unknown
from streamproof._captures.proxy import Seen
from streamproof._captures.redaction import MAX_DEPTH, Redaction
from streamproof._captures.reference import open_reference
from streamproof._captures.scenario import make_scenario

_NUMBERED = re.compile(r"(\d+)\b.*\.(?:har|yaml)")
_SCENARIOS = "recorded"
_CAPTURES = "captures"


class Recorder:
    """Writes captures as exchanges end, and scenarios when asked.

    ``log`` is given a line for each exchange. ``failed`` is why a capture could not be written;
    empty if all were.
    """

    def __init__(self, folder: Path, log: Callable[[str], None]) -> None:
        """Raises UserError if the folder cannot be made."""
        self._folder = folder
        self._log = log
        self.failed = ""
        self.written: list[Path] = []
        try:
            (folder / _CAPTURES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder} cannot be written: {error.strerror}") from error
        self._next = _last_number(folder) + 1

    def keep(self, seen: Seen) -> None:
        """Write an exchange of a model: an event stream, or an error; others are left out."""
        if not _is_of_a_model(seen):
            if seen.method == "POST":
                self._log(f"{seen.method} {seen.path}: {seen.status}, no stream, not recorded")
            return
        try:
            file = self._new_file()
            _write_new(file, make_har(seen))
        except UserError as error:
            if not self.failed:
                self._log(f"{error}; requests are passed on without being recorded")
            self.failed = str(error)
            return
        if seen.cut:
            self._log(f"{file} has not all of its exchange, which is too long; no scenario is made")
        else:
            self.written.append(file)
        ending = "" if seen.close == "clean" else f", {seen.close}"
        ending = ", not to its end" if seen.left else ending
        told = f"{seen.status}, {len(seen.body):,} bytes{ending}"
        self._log(f"{seen.method} {seen.path}: {told}: {file}")

    def _new_file(self) -> Path:
        """A file of the next number, empty, which no other process has. Raises UserError."""
        while True:
            file = self._folder / _CAPTURES / f"{self._next:04}.har"
            self._next += 1
            try:
                file.touch(exist_ok=False)
            except FileExistsError:
                continue
            except OSError as error:
                self._next -= 1
                raise UserError(f"{file} cannot be written: {error.strerror}") from error
            return file

    def scenarios(self) -> Iterator[Path]:
        """Write the scenarios of what was recorded, and yield their files, one by one.

        What cannot be converted is said in the log.
        """
        for conversation in find_conversations(list(self._exchanges())):
            first = Path(conversation.turns[0][0].name).stem
            file = self._folder / _SCENARIOS / f"{first}.yaml"
            try:
                file.parent.mkdir(exist_ok=True)
                write_file(file, encode(_text(conversation, f"{_SCENARIOS}/{first}")))
            except (Fault, OSError) as error:
                self._log(_explain_no_scenario(f"{first}.har", error))
            else:
                yield file

    def _exchanges(self) -> Iterator[Exchange]:
        read: list[Exchange] = []
        for file in self.written:
            try:
                read += read_exchanges(file.read_bytes(), file.name)
            except (Fault, OSError) as error:
                self._log(_explain_no_scenario(file.name, error))
        for exchange in add_dialects(read):
            if exchange.dialect:
                yield exchange
            else:
                why = explain_unknown(exchange).problems[0].message
                self._log(f"no scenario of {exchange.name}: {why}")


def _last_number(folder: Path) -> int:
    files = (file.name for kind in (_CAPTURES, _SCENARIOS) for file in (folder / kind).glob("*"))
    return max((int(found[1]) for found in map(_NUMBERED.fullmatch, files) if found), default=0)


def _write_new(file: Path, data: bytes) -> None:
    """Write a file that is there and empty; it is removed if that fails. Raises UserError."""
    try:
        write_file(file, data)
    except UserError:
        with suppress(OSError):
            file.unlink()
        raise


def _explain_no_scenario(name: str, error: Fault | OSError) -> str:
    if isinstance(error, OSError):
        return f"no scenario of {name}: {error.strerror}"
    return f"no scenario of {name}: {'; '.join(each.message for each in error.problems)}"


def _text(conversation: Conversation, id_: str) -> str:
    names = [Path(each.name.partition(":")[0]).name for each in conversation.exchanges]
    notes = [f"Recorded: {', '.join(names)}. What begins with TODO is for you to decide."]
    with open_reference(conversation.dialect) as reference:
        return make_scenario(conversation, notes, id_, reference).text


def _is_of_a_model(seen: Seen) -> bool:
    types = [value for name, value in seen.headers if name.lower() == "content-type"]
    failed = seen.method == "POST" and seen.status >= ERROR
    return failed or any("text/event-stream" in value for value in types)


_STREAM = "text/event-stream"
_OF_AN_ACCOUNT = frozenset(("openai-organization", "openai-project", "x-organization-id"))


def make_har(seen: Seen) -> bytes:
    """The HAR file of an exchange, with keys, addresses and the names in paths redacted."""
    redaction = Redaction()
    request_type = _header(seen.request_headers, "content-type")
    body, unreadable = _answer(seen, redaction)
    said = (
        unreadable,
        f"redacted: {redaction}" if str(redaction) else "",
        "too long: not all of it was kept" if seen.cut else "",
    )
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
                "size": len(body),
                "mimeType": _header(seen.headers, "content-type"),
                "text": body,
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": sum(len(data) for _, data in seen.chunks),
        },
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": took},
        "_chunks": [[round(1000 * at, 3), len(data)] for at, data in seen.chunks],
        "_close": "left" if seen.left else seen.close,
        "comment": "; ".join(filter(None, said)),
    }
    creator = {"name": CREATOR, "version": __version__}
    log = {"log": {"version": "1.2", "creator": creator, "entries": [entry]}}
    return (json.dumps(log, ensure_ascii=True, indent=1) + "\n").encode()


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
        data = decompress(data, _header(seen.request_headers, "content-encoding")).data
    text = data.decode("utf-8", "replace")
    value = parse_json(text)
    if value is None or is_deeper(value, MAX_DEPTH):
        return redaction.text(text)
    return json.dumps(redaction.value(value), ensure_ascii=False)


def _answer(seen: Seen, redaction: Redaction) -> tuple[str, str]:
    """The text of an answer, and why it cannot be read, if so."""
    try:
        data = decompress(seen.body, _header(seen.headers, "content-encoding")).data
    except Unreadable as error:
        return "", str(error)
    text = data.decode("utf-8", "replace")
    if _STREAM not in _header(seen.headers, "content-type"):
        return redaction.text(text), ""
    return _stream(data, text, redaction), ""


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
    return "".join(write_sse(event, names.get(event.n, "")) for event in clean)
