"""The arguments of a call on this wire: fragments to be joined, and what upstreams send instead.

By the protocol each fragment continues the one before, and the fragments joined are a JSON object.
Some upstreams tell all of it anew each time, or at the end, or begin with a placeholder. No
fragment shows which of these it is: after `{"a":` an honest `{"a":1}}` looks like a retelling. So
nothing is decided before the call is over, and then by one principle: what parses as it was said is
what was said. Only where that is no JSON are retellings looked for. An object in place of text is
no fragment; several of them make up one object.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from conformance.dialects.openresponses.reference.response_state import blank, join_surrogates
from mockserver.call_arguments import read_arguments

_PLACEHOLDER = "{}"


@dataclass(slots=True)
class Arguments:
    """What came of them so far."""

    fragments: list[str] = field(default_factory=list)
    fields: dict[str, object] | None = None
    length: int = 0
    doubtful: bool = False  # a fragment may have been a retelling

    def add(self, told: object) -> None:
        if isinstance(told, dict):
            self.fields = {**(self.fields or {}), **told}
        elif isinstance(told, str) and told:
            self.doubtful = self.doubtful or self.retold_by(told)
            self.fragments.append(told)
            self.length += len(told)

    def retold_by(self, fragment: str) -> bool:
        """Could this fragment be all that was said, and more, or what a placeholder was for?"""
        # Most fragments are shorter than what was said, and need not be held against it.
        short = self.length <= len(_PLACEHOLDER) or len(fragment) >= self.length
        return short and _retells(fragment, "".join(self.fragments))

    @property
    def none(self) -> bool:
        """Whether nothing was said yet that is more than white space."""
        return self.fields is None and all(map(blank, self.fragments))

    @property
    def complete(self) -> bool:
        """Whether what was said is a whole object, so that no honest fragment can follow."""
        if self.fields is not None:
            return True
        # Parsing each time would cost too much; only a brace can be the end of an object.
        last = self.fragments[-1].rstrip() if self.fragments else ""
        return last.endswith("}") and _parses(self._joined())

    def whole(self) -> str:
        """What was said, as the text that parses; as it was said where none does."""
        joined = self._joined()
        if self.fields is not None and blank(joined):
            return json.dumps(self.fields, ensure_ascii=False)
        if self.doubtful and not _parses(joined):
            retold = self._retold()
            return retold if _parses(retold) else joined
        return joined

    def certain(self) -> str:
        """What whoever shows progress may show: nothing that the rest could take back."""
        joined = "" if self.doubtful or self.fields is not None else self._joined()
        # Half of a character waits for the other half.
        joined = joined[:-1] if "\ud800" <= joined[-1:] <= "\udbff" else joined
        return "" if joined.strip() == _PLACEHOLDER else joined

    def _joined(self) -> str:
        return join_surrogates("".join(self.fragments))

    def _retold(self) -> str:
        said = ""
        for fragment in self.fragments:
            said = fragment if _retells(fragment, said) else said + fragment
        return join_surrogates(said)


def _parses(text: str) -> bool:
    return read_arguments(text).input is not None


def _retells(fragment: str, said: str) -> bool:
    return not blank(said) and (fragment.startswith(said) or said.strip() == _PLACEHOLDER)
