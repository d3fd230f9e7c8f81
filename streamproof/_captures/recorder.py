"""Keeps what a proxy has seen: a file for each exchange, and a scenario for each conversation."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Fault, UserError
from mockserver.foundation.json_text import encode
from streamproof._captures.conversation import conversations_in
from streamproof._captures.formats import exchanges_in
from streamproof._captures.har_file import har_of
from streamproof._captures.importing import why_unknown, with_dialects
from streamproof._captures.reference import reference_for
from streamproof._captures.scenario import scenario_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamproof._captures.conversation import Conversation
    from streamproof._captures.exchange import Exchange
    from streamproof._captures.proxy import Seen

_NUMBERED = re.compile(r"(\d+)\b.*\.(?:har|yaml)")
_SCENARIOS = "recorded"
_CAPTURES = "captures"
_ERROR = 400


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
            _write_new(file, har_of(seen))
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
        for conversation in conversations_in(list(self._exchanges())):
            first = Path(conversation.turns[0].attempts[0].exchange.name).stem
            file = self._folder / _SCENARIOS / f"{first}.yaml"
            try:
                file.parent.mkdir(exist_ok=True)
                write_file(file, encode(_text(conversation, f"{_SCENARIOS}/{first}")))
            except (Fault, OSError) as error:
                self._log(_no_scenario(f"{first}.har", error))
            else:
                yield file

    def _exchanges(self) -> Iterator[Exchange]:
        read: list[Exchange] = []
        for file in self.written:
            try:
                read += exchanges_in(file.read_bytes(), file.name)
            except (Fault, OSError) as error:
                self._log(_no_scenario(file.name, error))
        for exchange in with_dialects(read):
            if exchange.dialect:
                yield exchange
            else:
                why = why_unknown(exchange).problems[0].message
                self._log(f"no scenario of {exchange.name}: {why}")


def _last_number(folder: Path) -> int:
    """The highest number of a capture or a scenario in a folder of recordings."""
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


def _no_scenario(name: str, error: Fault | OSError) -> str:
    if isinstance(error, OSError):
        return f"no scenario of {name}: {error.strerror}"
    return f"no scenario of {name}: {'; '.join(each.message for each in error.problems)}"


def _text(conversation: Conversation, id_: str) -> str:
    names = [
        Path(attempt.exchange.name.partition(":")[0]).name
        for turn in conversation.turns
        for attempt in turn.attempts
    ]
    notes = [f"Recorded: {', '.join(names)}. What begins with TODO is for you to decide."]
    with reference_for(conversation.dialect) as reference:
        return scenario_of(conversation, notes, id_, reference).text


def _is_of_a_model(seen: Seen) -> bool:
    types = [value for name, value in seen.headers if name.lower() == "content-type"]
    failed = seen.method == "POST" and seen.status >= _ERROR
    return failed or any("text/event-stream" in value for value in types)
