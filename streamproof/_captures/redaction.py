"""Replaces secrets and personal data in captured values: keys, names in paths, addresses.

Each pattern is searched for only where a text has one of its needles, since most texts have none.
A stream may say a secret in several deltas. So the strings at the same place of the same kind of
event are searched as one text, too, and what is found in it is replaced in the event in which it
begins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.foundation.json_fields import mapping

if TYPE_CHECKING:
    from conformance.contract.transcript import SentEvent


NAMES = (
    "api_key",
    "apikey",
    "api-key",
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "password",
)
"""Names of fields and headers whose values are secret."""

# In the query of a URL, shorter names are those of keys, too.
_IN_QUERY = ("key", "code", "sig", "token", *NAMES)
_OF_VENDORS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "hf_",
    "gsk_",
    "xai-",
)
_OF_SLACK = ("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-")
_WITH_DIGITS = ("nvapi-", "pplx-", "csk-", "r8_", "fw_")


class Secret(NamedTuple):
    """A secret in a text, which is of a kind of ``REPLACED``."""

    start: int
    end: int
    kind: str


REPLACED = {
    "key": "REDACTED",
    "account": "REDACTED",
    "path": "user",
    "address": "someone@example.com",
}
"""What stands in place of a secret, by its kind."""

_HARMLESS = frozenset((*REPLACED.values(), "Shared", "Public"))


class _Pattern(NamedTuple):
    """A pattern, and what a text with it has one of, in small letters.

    The secret is its first group, or the whole of it if it has no group.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]


def _pattern(kind: str, needles: tuple[str, ...], text: str) -> _Pattern:
    return _Pattern(kind, needles, re.compile(text, re.ASCII))


def _any_of(names: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(map(re.escape, names))})"


_PATTERNS = (
    _pattern("key", ("bearer ",), r"[Bb]earer ([\w.~+/=-]{8,})"),
    _pattern(
        "key",
        tuple(f"{first}k{then}" for first in "srp" for then in "-_"),
        r"[srp](?<![\w-].)k(?:-|_(?:live|test)_)[A-Za-z0-9_-]{12,}",
    ),
    _pattern(
        "key",
        (*_OF_VENDORS, *_OF_SLACK),
        rf"(?<![\w-]){_any_of((*_OF_VENDORS, *_OF_SLACK))}\w[\w-]{{12,}}",
    ),
    _pattern("key", _WITH_DIGITS, rf"(?<![\w-]){_any_of(_WITH_DIGITS)}(?=\w*\d)\w[\w-]{{12,}}"),
    _pattern("key", ("akia",), r"A(?<![\w-].)KIA[0-9A-Z]{16}"),
    _pattern("key", ("aiza",), r"A(?<![\w-].)Iza[\w-]{30,}"),
    _pattern("key", ("ya29.",), r"y(?<![\w-].)a29\.[\w-]{10,}"),
    _pattern("key", ("eyj",), r"e(?<![\w.-].)yJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    _pattern("key", ("tid=",), r"t(?<![\w-].)id=[0-9a-f]{8,};[^\s\"']{8,}"),
    _pattern(
        "key",
        tuple(f"{name}=" for name in _IN_QUERY),
        rf"[?&]{_any_of(_IN_QUERY)}=([^&#\s\"'\\]{{8,}})",
    ),
    _pattern(
        "key",
        NAMES,
        rf"(?i:{_any_of(NAMES)})(?:\":\"|\": \"|\\\":\\\"|\\\": \\\"|: )"
        r"(?!REDACTED)([^\s\"'\\,]{8,})",
    ),
    # As in files of environment variables.
    _pattern(
        "key",
        ("key=", "token=", "secret=", "password="),
        r"(?:KEY|TOKEN|SECRET|PASSWORD)=[\"']?([^\s\"'\\&]{8,})",
    ),
    _pattern("key", ("basic ",), r"(?i:authorization[\"']?: ?[\"']?basic )([\w+/=-]{8,})"),
    _pattern("key", ("private key-----",), r"PRIVATE KEY-----([^-]{8,})"),
    _pattern("key", ("://",), r"://([^/?#\s:@\"']{1,64}:[^/?#\s@\"']{1,128})@"),
    _pattern("account", ("org-",), r"o(?<![\w-].)rg-(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{20,}"),
    _pattern("account", ("proj_",), r"p(?<![\w-].)roj_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{12,}"),
    _pattern(
        "path", ("/home/", "/users/", "\\home\\"), r"(?:/home/|/Users/|\\home\\)([^/\s\"'\\:]+)"
    ),
    _pattern("path", ("%2fhome%2f", "%2fusers%2f"), r"%2F(?:home|Users)%2F([^%/&\s\"'\\:]+)"),
    _pattern(
        "path",
        (":\\users\\", ":\\\\users\\\\"),
        r":(?:\\Users\\|\\\\Users\\\\)((?:[^\\/\"':\r\n]{1,40}(?=\\)|[^\\/\s\"':]+))",
    ),
    # From the start of a word, so that long words without an address are read once.
    _pattern(
        "address",
        ("@",),
        r"(?<![\w.%+-])[\w.%+-]++@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}",
    ),
)


# In a short text it is faster to search for all needles at once.
_SHORT = 2000
_ANY_NEEDLE = re.compile(
    "|".join(re.escape(needle) for pattern in _PATTERNS for needle in pattern.needles)
)


def find_secrets(text: str) -> list[Secret]:
    """The secrets in a text, in order; those that overlap are one.

    Of an address whose name is in another secret, as in ``https://name:password@host``, the host
    is no secret.
    """
    found: list[Secret] = []
    for secret in sorted(_find_all(text)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
        elif secret.kind != "address":
            found[-1] = found[-1]._replace(end=max(secret.end, found[-1].end))
    return found


def _find_all(text: str) -> Iterator[Secret]:
    small = text.lower()
    if len(text) < _SHORT and not _ANY_NEEDLE.search(small):
        return
    for kind, needles, pattern in _PATTERNS:
        if not any(needle in small for needle in needles):
            continue
        group = 1 if pattern.groups else 0
        for match in pattern.finditer(text):
            if match[group] not in _HARMLESS:
                yield Secret(*match.span(group), kind)


_NOUNS = {
    "key": ("key", "keys"),
    "account": ("account id", "account ids"),
    "path": ("name in a path", "names in paths"),
    "address": ("e-mail address", "e-mail addresses"),
}

# The fields of an event that say which of several texts its delta continues.
_INDEXES = ("output_index", "content_index", "summary_index", "index")

# The last words of events that have whole texts.
_WHOLE = ("added", "done", "created", "in_progress", "completed", "incomplete", "failed")

# Fields that repeat in every event.
_NO_TEXTS = ("id", "item_id", "type", "object", "model", "obfuscation", "role")

MAX_DEPTH = 100
"""The levels of objects and lists that a value may have to be redacted."""

_Keys = tuple[str, ...]
_Piece = tuple[int, _Keys, str]
"""A string of an event: the number of the event, the path in it, and its value."""


@dataclass(slots=True)
class Redaction:
    """Redacts values, and counts what it has replaced, by kind."""

    counts: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """What was replaced, in words; empty if nothing was."""
        return ", ".join(
            f"{count} {_NOUNS[kind][count != 1]}" for kind, count in sorted(self.counts.items())
        )

    def text(self, value: str) -> str:
        """A text without secrets."""
        if not (found := find_secrets(value)):
            return value
        pieces: list[str] = []
        at = 0
        for secret in found:
            pieces += value[at : secret.start], self._replaced(secret.kind)
            at = secret.end
        return "".join(pieces) + value[at:]

    def _replaced(self, kind: str) -> str:
        self.counts[kind] += 1
        return REPLACED[kind]

    def value(self, value: Any) -> Any:
        """A JSON value without secrets in its strings and keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._of_field(key, inner) for key, inner in value.items()}
        return [self.value(inner) for inner in value] if isinstance(value, list) else value

    def _of_field(self, name: str, value: Any) -> Any:
        """The value of a field, which is a key as a whole if its name says so."""
        is_key = isinstance(value, str) and name.lower().removeprefix("x-") in NAMES
        if not is_key or value in ("", REPLACED["key"]):
            return self.value(value)
        return self._replaced("key")

    def events(self, events: Sequence[SentEvent]) -> tuple[SentEvent, ...]:
        """The events without secrets, also those that are said in several deltas."""
        changed = self._across(events)
        return tuple(
            replace(event, data=self.value(_with(event.data, changed.get(event.n, {}))))
            for event in events
        )

    def _across(self, events: Sequence[SentEvent]) -> dict[int, dict[_Keys, str]]:
        """Texts in deltas that have secrets: what they become, by event and path."""
        texts: dict[Any, list[_Piece]] = defaultdict(list)
        for event in events:
            if event.type.rpartition(".")[2] in _WHOLE:
                continue
            data = mapping(event.data)
            numbers = (data.get(name) for name in _INDEXES)
            indexes = tuple(each if isinstance(each, int) else "" for each in numbers)
            for path, value in _strings(event.data):
                texts[event.type, path, indexes].append((event.n, path, value))
        changed: dict[int, dict[_Keys, str]] = defaultdict(dict)
        for pieces in texts.values():
            for (n, path, before), value in zip(pieces, self._redacted(pieces), strict=True):
                if value != before:
                    changed[n][path] = value
        return changed

    def _redacted(self, pieces: Sequence[_Piece]) -> list[str]:
        """The pieces of a text without secrets; each is replaced in its first piece."""
        values = [value for _, _, value in pieces]
        starts = list(accumulate(map(len, values), initial=0))[:-1]
        for found in reversed(find_secrets("".join(values))):
            first = bisect_right(starts, found.start) - 1
            last = bisect_right(starts, found.end - 1) - 1
            rest = values[last][found.end - starts[last] :]
            head = values[first][: found.start - starts[first]] + self._replaced(found.kind)
            values[first + 1 : last + 1] = [""] * (last - first)
            values[first] = head
            values[last] = values[last] + rest if last == first else rest
        return values


def _with(data: Any, changed: dict[_Keys, str], path: _Keys = ()) -> Any:
    """The data of an event with the strings at these paths changed."""
    if not changed:
        return data
    if path in changed:
        return changed[path]
    if isinstance(data, dict):
        return {key: _with(inner, changed, (*path, key)) for key, inner in data.items()}
    if isinstance(data, list):
        return [_with(inner, changed, (*path, str(n))) for n, inner in enumerate(data)]
    return data


def _strings(value: Any, path: _Keys = ()) -> Iterator[tuple[_Keys, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, (*path, key)) if key not in _NO_TEXTS else ()
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _strings(inner, (*path, str(n)))
