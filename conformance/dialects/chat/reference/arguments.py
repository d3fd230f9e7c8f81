"""Joins the arguments of a call from fragments, some of which may repeat earlier ones.

By the protocol, each fragment continues the one before, and the fragments joined are a JSON object.
Some upstreams send all arguments again in each fragment, or at the end, or begin with a placeholder
`{}`. A single fragment does not show this: after `{"a":`, the fragment `{"a":1}}` may continue it
or repeat it. So nothing is decided before the call ends. If the joined fragments parse, they are
the arguments; only if they do not, repetitions are removed. A fragment may also be a JSON object
instead of text; the fields of several such fragments are merged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from conformance.dialects.openresponses.reference.response_state import blank, join_surrogates
from mockserver.foundation.call_arguments import read_arguments

_PLACEHOLDER = "{}"


@dataclass(slots=True)
class Arguments:
    """The fragments of a call's arguments so far."""

    fragments: list[str] = field(default_factory=list)
    fields: dict[str, object] | None = None
    length: int = 0
    maybe_repeated: bool = False  # a fragment may repeat those before it

    def add(self, fragment: object) -> None:
        """Add a fragment, text or an object; anything else is ignored."""
        if isinstance(fragment, dict):
            self.fields = {**(self.fields or {}), **fragment}
        elif isinstance(fragment, str) and fragment:
            self.maybe_repeated = self.maybe_repeated or self.may_repeat(fragment)
            self.fragments.append(fragment)
            self.length += len(fragment)

    def may_repeat(self, fragment: str) -> bool:
        """Whether a fragment begins with all fragments so far, or follows a placeholder."""
        # Most fragments are shorter than those before them together, and need no comparison.
        short = self.length <= len(_PLACEHOLDER) or len(fragment) >= self.length
        return short and _is_repetition(fragment, "".join(self.fragments))

    @property
    def is_blank(self) -> bool:
        """Whether the arguments are still blank."""
        return self.fields is None and all(map(blank, self.fragments))

    @property
    def complete(self) -> bool:
        """Whether the fragments are a complete object, so that none can follow."""
        if self.fields is not None:
            return True
        # Parsed only after a closing brace, because parsing after each fragment is slow.
        last = self.fragments[-1].rstrip() if self.fragments else ""
        return last.endswith("}") and _parses(self._joined())

    def text(self) -> str:
        """The arguments: the fragments joined, without repetitions if only that parses."""
        joined = self._joined()
        if self.fields is not None and blank(joined):
            return json.dumps(self.fields, ensure_ascii=False)
        if self.maybe_repeated and not _parses(joined):
            shorter = self._without_repetitions()
            return shorter if _parses(shorter) else joined
        return joined

    def safe_prefix(self) -> str:
        """The arguments so far, for showing progress; empty if later fragments may change them."""
        joined = "" if self.maybe_repeated or self.fields is not None else self._joined()
        # A trailing high surrogate is held back until the low one follows.
        joined = joined[:-1] if "\ud800" <= joined[-1:] <= "\udbff" else joined
        return "" if joined.strip() == _PLACEHOLDER else joined

    def _joined(self) -> str:
        return join_surrogates("".join(self.fragments))

    def _without_repetitions(self) -> str:
        joined = ""
        for fragment in self.fragments:
            joined = fragment if _is_repetition(fragment, joined) else joined + fragment
        return join_surrogates(joined)


def _parses(text: str) -> bool:
    return read_arguments(text).input is not None


def _is_repetition(fragment: str, before: str) -> bool:
    return not blank(before) and (fragment.startswith(before) or before.strip() == _PLACEHOLDER)
