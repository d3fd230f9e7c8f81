"""Replaces secrets and personal data in captured values: keys, names in paths, addresses.

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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.contract.transcript import SentEvent

# Names of parameters, fields and headers whose values are secret.
_NAMES = (
    "key",
    "code",
    "sig",
    "api_key",
    "apikey",
    "api-key",
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "client_secret",
    "password",
)
_LONG_NAMES = tuple(name for name in _NAMES if len(name) > len("token"))
_IN_QUERY = "|".join(rf"(?<=[?&]{name}=)" for name in _NAMES)
# In JSON and in headers, the shorter names may be of anything.
_IN_FIELDS = "|".join(
    rf"(?<=(?i:{name}){separator})"
    for name in _LONG_NAMES
    for separator in ('":"', '": "', r'\\":\\"', r'\\": \\"', ": ")
)
_PATTERNS = {
    "key": (
        r"(?:(?<=[Bb]earer )[\w.~+/=-]{8,})"
        r"|(?<![\w-])(?:(?:sk|rk|pk)-|(?:sk|rk|pk)_(?:live|test)_)[A-Za-z0-9_-]{12,}"
        r"|(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|gsk_|xai-)\w[\w-]{12,}"
        r"|(?<![\w-])(?:nvapi-|pplx-|csk-|r8_|fw_)(?=\w*\d)\w[\w-]{12,}"
        r"|(?<![\w-])(?:AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{10,})"
        r"|(?<![\w.-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"
        r"|(?<![\w-])tid=[0-9a-f]{8,};[^\s\"']{8,}"
        rf"|(?:{_IN_QUERY})[^&#\s\"'\\]{{8,}}"
        rf"|(?:{_IN_FIELDS})(?!REDACTED)[^\s\"'\\,]{{8,}}"
        r"|(?<=://)[^/?#\s:@\"']{1,64}:[^/?#\s@\"']{1,128}(?=@)"
    ),
    "account": (
        r"(?<![\w-])org-(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{20,}"
        r"|(?<![\w-])proj_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{12,}"
    ),
    "path": (
        r"(?:(?<=/home/)|(?<=/Users/)|(?<=\\home\\))[^/\s\"'\\:]+"
        r"|(?:(?<=%2Fhome%2F)|(?<=%2FUsers%2F))[^%/&\s\"'\\:]+"
        r"|(?:(?<=:\\Users\\)|(?<=:\\\\Users\\\\))(?:[^\\/\"':\r\n]{1,40}(?=\\)|[^\\/\s\"':]+)"
    ),
    # From the start of a word, so that long words without an address are read once.
    "address": (
        r"(?<![\w.%+-])[\w.%+-]++@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}"
    ),
}
_SECRET = re.compile("|".join(f"(?P<{kind}>{text})" for kind, text in _PATTERNS.items()), re.ASCII)
_WITH = {
    "key": "REDACTED",
    "account": "REDACTED",
    "path": "user",
    "address": "someone@example.com",
}
_HARMLESS = frozenset((*_WITH.values(), "Shared", "Public"))
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
        return _SECRET.sub(self._replaced, value)

    def _replaced(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if found[0] in _HARMLESS:
            return found[0]
        self.counts[kind] += 1
        return _WITH[kind]

    def value(self, value: Any) -> Any:
        """A JSON value without secrets in its strings and keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._of_field(key, inner) for key, inner in value.items()}
        return [self.value(inner) for inner in value] if isinstance(value, list) else value

    def _of_field(self, name: str, value: Any) -> Any:
        """The value of a field, which is a key as a whole if its name says so."""
        is_key = isinstance(value, str) and name.lower().removeprefix("x-") in _LONG_NAMES
        if not is_key or not value or value in _HARMLESS:
            return self.value(value)
        self.counts["key"] += 1
        return _WITH["key"]

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
            indexes = _indexes(event.data)
            for path, value in _strings(event.data) if _is_delta(event.type) else ():
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
        for found in reversed(list(_SECRET.finditer("".join(values)))):
            first = bisect_right(starts, found.start()) - 1
            last = bisect_right(starts, found.end() - 1) - 1
            rest = values[last][found.end() - starts[last] :]
            head = values[first][: found.start() - starts[first]] + self._replaced(found)
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


def _is_delta(type_: str) -> bool:
    """Whether the texts of an event may go on in the next one of its type."""
    return type_.rpartition(".")[2] not in _WHOLE


def _indexes(data: Any) -> tuple[Any, ...]:
    fields = data if isinstance(data, dict) else {}
    return tuple(value if isinstance(value := fields.get(name), int) else "" for name in _INDEXES)


def _strings(value: Any, path: _Keys = ()) -> Iterator[tuple[_Keys, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, (*path, key)) if key not in _NO_TEXTS else ()
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _strings(inner, (*path, str(n)))
