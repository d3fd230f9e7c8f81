"""Splits bytes into lines, and encodes and decodes the messages of drive/1 in them.

Messages are checked against ``schemas/driver.json``.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.dialects.short_text import clip, quoted
from conformance.drivers.recorder import describe
from mockserver.foundation.faults import KitError
from mockserver.foundation.json_text import is_deeper
from mockserver.foundation.schemas import errors_of, validator


class Overlong(bytes):
    """The first 100 bytes of a line that is too long; the rest is discarded."""


class Lines:
    """Collects lines of at most ``max_length`` bytes; keeps the incomplete last one."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._incomplete = bytearray()
        self._is_skipping = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that these bytes complete, without line breaks. Blank lines are skipped."""
        first, *others = data.split(b"\n")
        yield from self._extend(first, ends=bool(others))
        for n, piece in enumerate(others):
            yield from self._extend(piece, ends=n < len(others) - 1)

    def _extend(self, piece: bytes, *, ends: bool) -> Iterator[bytes]:
        if not self._is_skipping:
            self._incomplete += piece
            if len(self._incomplete) > self._max_length:
                yield Overlong(self._incomplete[:100])
                self._incomplete.clear()
                self._is_skipping = True
        if ends:
            line = bytes(self._incomplete).strip()
            if line and not self._is_skipping:
                yield line
            self._incomplete.clear()
            self._is_skipping = False

    @property
    def rest(self) -> bytes:
        """The bytes of the incomplete last line."""
        return bytes(self._incomplete)


MAX_LINE = 1 << 20
"""The most bytes of a line that are accepted."""

MAX_DEPTH = 512
"""The most lists and objects inside one another in a line."""

_REFUSALS = ("unsupported", "error")
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "run": ("done", *_REFUSALS),
    "count": ("counted", *_REFUSALS),
}
"""The messages that end a run or a count, by the type of the kit's message."""

# The kit's hello and the adapter's hello have definitions of their own.
_HELLO = {"hello": "adapter-hello"}


def why_invalid(message: Any, *types: str) -> str:
    """Why an adapter's message is not a valid message of one of these types; empty if it is.

    The words are what the message is, such as ``a list, which is …``.
    """
    if not isinstance(message, dict):
        return f"{json_type(message)}, where a message is a JSON object: {describe(message)}"
    type_ = message.get("type")
    if type_ not in types:
        return _wrong_type(message, types)
    # By one definition: validating against all of them takes longer than the rest of a run.
    definition = _HELLO.get(type_, type_)
    error = next(errors_of(validator("driver", definition=definition), message), None)
    if error is None:
        return ""
    place = "".join(f".{each}" for each in error.absolute_path)
    return (
        f"a {type_} message that breaks $defs.{definition} of schemas/driver.json: "
        f"{f'{place[1:]}: ' if place else ''}{clip(error.message, _MAX_SHOWN)}"
    )


def _wrong_type(message: Mapping[str, Any], types: Sequence[str]) -> str:
    """A message of another type than these, in words."""
    type_ = message.get("type")
    if "type" not in message:
        what = "a JSON object without a type"
    elif type_ in _OF_KIT:
        what = f"a {type_} message, which only the kit sends"
    else:
        what = f"a message of the type {clip(repr(type_), _MAX_TYPE)}"
    return f"{what}, where {' or '.join(types)} was due: {describe(message)}"


_OF_KIT = ("run", "count", "cancel", "bye")
_MAX_TYPE = 40
_JSON_TYPES = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


def json_type(value: Any) -> str:
    """The type of a value that is not an object, in words."""
    return "null" if value is None else _JSON_TYPES.get(type(value), f"a {type(value).__name__}")


def why_no_answer(asked: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """Why a valid message is no answer to the kit's ``run`` or ``count``; empty if it is."""
    type_, wanted = message["type"], asked["type"]
    # A run may be answered by more than its ending.
    if type_ not in ENDINGS[wanted] and (wanted == "count" or type_ == "counted"):
        return f"a {wanted} was answered with {type_}, not with {' or '.join(ENDINGS[wanted])}"
    if "counts" in message and len(message["counts"]) != (messages := len(asked["messages"])):
        return f"it gave {len(message['counts'])} count(s) for {messages} message(s)"
    return ""


def encode_line(message: Mapping[str, Any]) -> bytes:
    """A message of the kit as a line. Raises KitError if drive/1 does not allow it."""
    definition = {"hello": "kit-hello"}.get(message["type"], message["type"])
    error = next(errors_of(validator("driver", definition=definition), message), None)
    if error:
        raise KitError(f"the kit made an invalid {message['type']} message: {error.message[:200]}")
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode_line(line: bytes) -> tuple[Any, str]:
    """A line of an adapter as JSON, and why it cannot be read (empty if it can)."""
    if isinstance(line, Overlong):
        return None, f"it wrote a line of more than {MAX_LINE >> 20} MiB: {_shown(line)}"
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, _why_unreadable(line, error)
    if is_deeper(message, MAX_DEPTH):
        return None, _too_deep(line)
    return message, ""


def _why_unreadable(line: bytes, error: ValueError | RecursionError) -> str:
    """Why a line cannot be read: what is wrong with its bytes, its JSON or its size."""
    if isinstance(error, RecursionError):
        return _too_deep(line)
    if not _is_utf_8(line):
        return f"it wrote bytes to stdout that are not UTF-8: {line[:_MAX_SHOWN]!r}"
    if not isinstance(error, json.JSONDecodeError):
        most = sys.get_int_max_str_digits()
        return f"it wrote a number of more than {most:,} digits, which is not read: {_shown(line)}"
    if line.lstrip().startswith(b"{"):
        # The line is meant to be a message.
        wrong = f"{error.msg}, at character {error.colno}"
        return f"it wrote a line of broken JSON ({wrong}): {_shown(line)}"
    return f"it wrote a line to stdout that is not JSON: {_shown(line)}; {LOGS}"


LOGS = "logs go to stderr"
"""What to do about a line that is no message."""


def _too_deep(line: bytes) -> str:
    return f"it wrote a line that is nested deeper than {MAX_DEPTH} levels: {_shown(line)}"


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(line: bytes) -> str:
    """The beginning of a line, quoted, with unprintable characters escaped."""
    return quoted(line.decode("utf-8", "replace"), _MAX_SHOWN)


_MAX_SHOWN = 120
