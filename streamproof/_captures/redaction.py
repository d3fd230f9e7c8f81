"""Replaces secrets and personal data in captured values: keys, names in paths, addresses.

Each pattern is searched for only where a text has one of its needles, since most texts have none.
A stream may say a secret in several deltas. So the strings at the same place of the same kind of
event are searched as one text, too, and what is found in it is replaced in the event in which it
begins.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

from conformance.contract.transcript import SentEvent
from mockserver.foundation.json_fields import mapping

_FIELDS = "api_key|apikey|api-key|access_token|refresh_token|id_token|client_secret|password"
NAMES = frozenset(_FIELDS.split("|"))
"""Names of fields and headers whose values are secret."""

# In the query of a URL, shorter names are those of keys, too.
_IN_QUERY = f"key|code|sig|token|{_FIELDS}"
_OF_VENDORS = (
    "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|hf_|gsk_|xai-|xoxa-|xoxb-|xoxp-|xoxr-|xoxs-"
)
_WITH_DIGITS = "nvapi-|pplx-|csk-|r8_|fw_"


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


# Needles are in small letters, with a bar between them.
_PATTERNS = tuple(
    _Pattern(kind, tuple(needles.split("|")), re.compile(text, re.ASCII))
    for kind, needles, text in (
        ("key", "bearer ", r"[Bb]earer ([\w.~+/=-]{8,})"),
        (
            "key",
            "sk-|rk-|pk-|sk_|rk_|pk_",
            r"[srp](?<![\w-].)k(?:-|_(?:live|test)_)[A-Za-z0-9_-]{12,}",
        ),
        ("key", _OF_VENDORS, rf"(?<![\w-])(?:{_OF_VENDORS})\w[\w-]{{12,}}"),
        ("key", _WITH_DIGITS, rf"(?<![\w-])(?:{_WITH_DIGITS})(?=\w*\d)\w[\w-]{{12,}}"),
        ("key", "akia", r"A(?<![\w-].)KIA[0-9A-Z]{16}"),
        ("key", "aiza", r"A(?<![\w-].)Iza[\w-]{30,}"),
        ("key", "ya29.", r"y(?<![\w-].)a29\.[\w-]{10,}"),
        ("key", "eyj", r"e(?<![\w.-].)yJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
        ("key", "tid=", r"t(?<![\w-].)id=[0-9a-f]{8,};[^\s\"']{8,}"),
        ("key", _IN_QUERY.replace("|", "=|") + "=", rf"[?&](?:{_IN_QUERY})=([^&#\s\"'\\]{{8,}})"),
        (
            "key",
            _FIELDS,
            rf"(?i:{_FIELDS})(?:\":\"|\": \"|\\\":\\\"|\\\": \\\"|: )"
            r"(?!REDACTED)([^\s\"'\\,]{8,})",
        ),
        # As in files of environment variables.
        (
            "key",
            "key=|token=|secret=|password=",
            r"(?:KEY|TOKEN|SECRET|PASSWORD)=[\"']?([^\s\"'\\&]{8,})",
        ),
        ("key", "basic ", r"(?i:authorization[\"']?: ?[\"']?basic )([\w+/=-]{8,})"),
        ("key", "private key-----", r"PRIVATE KEY-----([^-]{8,})"),
        ("key", "://", r"://([^/?#\s:@\"']{1,64}:[^/?#\s@\"']{1,128})@"),
        ("account", "org-", r"o(?<![\w-].)rg-(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{20,}"),
        ("account", "proj_", r"p(?<![\w-].)roj_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{12,}"),
        ("path", "/home/|/users/|\\home\\", r"(?:/home/|/Users/|\\home\\)([^/\s\"'\\:]+)"),
        ("path", "%2fhome%2f|%2fusers%2f", r"%2F(?:home|Users)%2F([^%/&\s\"'\\:]+)"),
        (
            "path",
            ":\\users\\|:\\\\users\\\\",
            r":(?:\\Users\\|\\\\Users\\\\)((?:[^\\/\"':\r\n]{1,40}(?=\\)|[^\\/\s\"':]+))",
        ),
        # From the start of a word, so that long words without an address are read once.
        (
            "address",
            "@",
            r"(?<![\w.%+-])[\w.%+-]++@[A-Za-z0-9-]{1,63}"
            r"(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}",
        ),
    )
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
        return self._texts([value])[0]

    def _replaced(self, kind: str) -> str:
        self.counts[kind] += 1
        return REPLACED[kind]

    def value(self, value: Any, changed: Mapping[_Keys, str] = {}, path: _Keys = ()) -> Any:
        """A JSON value without secrets in its strings and keys; at some paths it is ``changed``.

        The text of a field is a key as a whole if the field's name says so.
        """
        value = changed.get(path, value)
        if isinstance(value, str):
            is_key = bool(path) and path[-1].lower().removeprefix("x-") in NAMES
            is_secret = is_key and value not in ("", REPLACED["key"])
            return self._replaced("key") if is_secret else self.text(value)
        if isinstance(value, dict):
            return {
                self.text(key): self.value(inner, changed, (*path, key))
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self.value(each, changed, (*path, str(n))) for n, each in enumerate(value)]
        return value

    def events(self, events: Sequence[SentEvent]) -> tuple[SentEvent, ...]:
        """The events without secrets, also those that are said in several deltas."""
        changed = self._across(events)
        return tuple(
            replace(event, data=self.value(event.data, changed.get(event.n, {})))
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
            redacted = self._texts([value for _, _, value in pieces])
            for (n, path, before), value in zip(pieces, redacted, strict=True):
                if value != before:
                    changed[n][path] = value
        return changed

    def _texts(self, values: list[str]) -> list[str]:
        """The pieces of a text without secrets; each is replaced in its first piece."""
        if not (secrets := find_secrets("".join(values))):
            return values
        starts = list(accumulate(map(len, values), initial=0))[:-1]
        # Of each piece, where its beginning ends that is kept, and what follows, last things first.
        ends = [len(value) for value in values]
        following: list[list[str]] = [[] for _ in values]
        for found in reversed(secrets):
            first = bisect_right(starts, found.start) - 1
            last = bisect_right(starts, found.end - 1) - 1
            following[last].append(values[last][found.end - starts[last] : ends[last]])
            following[first].append(self._replaced(found.kind))
            ends[first : last + 1] = [found.start - starts[first]] + [0] * (last - first)
        pieces = zip(values, ends, following, strict=True)
        return [value[:end] + "".join(reversed(rest)) for value, end, rest in pieces]


def _strings(value: Any, path: _Keys = ()) -> Iterator[tuple[_Keys, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, (*path, key)) if key not in _NO_TEXTS else ()
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _strings(inner, (*path, str(n)))
