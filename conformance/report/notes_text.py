"""Shortens the notes of a run for a terminal: repeated messages once, and of long notes the ends.

A value that is logged over several lines is one line. What may be of another run says so. The
results keep the notes as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.contract.notes import STDERR_SHARED
from conformance.dialects.short_text import clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NUMBER = re.compile(r"\d+")
_TRACEBACK = "Traceback "
_LEAST_REPEATED = 20
_OF_ANOTHER = "perhaps of another run"
# The ends of the first and the last line of a value that is logged over several lines.
_OPEN = ("{", "[", "(")
_CLOSED = re.compile(r"[\]})]+[;,]?")


def notes_text(
    notes: Iterable[str], messages: Sequence[str] = (), most: int | None = None
) -> list[str]:
    """The notes in lines, without those that the findings' ``messages`` quote.

    Each note has at most ``most`` lines, and one more that says how many were left out.
    """
    return [
        line
        for note in notes
        if not any(note in message for message in messages)
        for line in _ends_of(list(_lines_of(note)), most)
    ]


def _lines_of(note: str) -> Iterator[str]:
    """The lines of a note without repetitions; those of other runs, perhaps, are marked."""
    if note.startswith(STDERR_SHARED):
        yield STDERR_SHARED.rstrip()
        yield from _without_repetitions(note.removeprefix(STDERR_SHARED), _OF_ANOTHER)
    else:
        yield from _without_repetitions(note)


def _without_repetitions(note: str, mark: str = "") -> Iterator[str]:
    """The lines of a note, of which the same message comes once, with how often it was there.

    ``mark`` is said of each message.
    """
    times: dict[str, int] = {}
    first: dict[str, list[str]] = {}
    for message in _messages(note):
        # The details of a warning differ; of a traceback they are all that there is.
        whole = message if message[0].startswith(_TRACEBACK) else message[:1]
        key = _NUMBER.sub("", "\n".join(whole))
        times[key] = times.get(key, 0) + 1
        first.setdefault(key, message)
    # A logger that says a message to two places says it with two beginnings.
    said = [key for key in first if len(key) >= _LEAST_REPEATED]
    again = {key for key in first for other in said if key != other and key.endswith(f" {other}")}
    for key, (line, *more) in first.items():
        if key in again:
            continue
        said = [f"{times[key]} times"] if times[key] > 1 else []
        said += [mark] if mark else []
        yield f"{line} ({', '.join(said)})" if said else line
        yield from more


def _messages(note: str) -> Iterator[list[str]]:
    """A note cut before each line that is not indented; a value over several lines is one line."""
    message: list[str] = []
    for line in note.splitlines():
        if message and message[0].endswith(_OPEN) and _CLOSED.fullmatch(line):
            yield [clip(" ".join(each.strip() for each in (*message, line)))]
            message = []
            continue
        if message and line[:1].strip():
            yield message
            message = []
        message.append(line)
    if message:
        yield message


def _ends_of(lines: list[str], most: int | None) -> list[str]:
    """The first and the last lines, as the error is in the one or in the other."""
    if most is None or len(lines) <= most:
        return lines
    half = most // 2
    left_out = f"… {len(lines) - 2 * half} more lines, which streamproof show prints …"
    return [*lines[:half], left_out, *lines[-half:]]
