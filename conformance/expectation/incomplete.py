"""The failures with which an adapter may report that the upstream cut its response short.

An incomplete response may be reported as a failure whose words or code say what happened. A failure
that denies the ending of the upstream, such as that of an adapter that never reads the event and
waits for another one, is none of these.

Source: lm-stream-semantics § 5.3; OpenResponses § Streaming Events.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.contract.transcript import ReportedError

DENIALS = ("truncated", "transport", "timeout")
"""The kinds of error which say that the stream broke off, or did not end in time."""

_WORDS = (
    "incomplete(?! chunked)",
    "length",
    "limit",
    "filter",
    "too long",
    "cut short",
    "steered",
    "max[ _-](?:output|completion|new|tool|messages|tokens)",
)

SAYS_INCOMPLETE = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in _WORDS)
"""A pattern for words that say that an answer is incomplete, or why (ECMA-262 and Python)."""


def says_incomplete(error: ReportedError | None) -> bool:
    """Whether the message or the code of a failure says that the answer is incomplete."""
    said = f"{error.message}\n{error.code}" if error else ""
    return bool(re.search(SAYS_INCOMPLETE, said))
