"""Finds secrets and personal data in a text: keys, ids of accounts, names in paths, addresses.

Each pattern is searched for only where a text has one of its needles, since most texts have none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        "path",
        ("/home/", "/users/", "\\home\\"),
        r"(?:/home/|/Users/|\\home\\)([^/\s\"'\\:]+)",
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


def secrets_in(text: str) -> list[Secret]:
    """The secrets in a text, in order; those that overlap are one.

    Of an address whose name is in another secret, as in ``https://name:password@host``, the host
    is no secret.
    """
    found: list[Secret] = []
    for secret in sorted(_all_in(text)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
        elif secret.kind != "address":
            found[-1] = found[-1]._replace(end=max(secret.end, found[-1].end))
    return found


def _all_in(text: str) -> Iterator[Secret]:
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
