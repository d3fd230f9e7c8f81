"""Collects the calls of a choice, and selects those that a finish completes.

Fragments are assigned to calls, even if the index, the id or the name is missing or wrong. By the
protocol, `index` identifies the call, and its first fragment has its `id` and `name`. In real
streams, the index may be 0 for every call, or missing; ids and names may be repeated in every
fragment, or be late, blank or missing. So a fragment belongs to the call with its index, else to
the one with its id, else to the last one. If it contradicts that call, it begins another one.

Some upstreams send all arguments again in each fragment, or at the end, or begin with a placeholder
`{}`. A single fragment does not show this: after `{"a":`, the fragment `{"a":1}}` may continue it
or repeat it. So nothing is decided before the call ends. If the joined fragments parse, they are
the arguments; only if they do not, repetitions are removed. A fragment may also be a JSON object
instead of text; the fields of several such fragments are merged.

A call without an id gets one. If two calls share an id, the second gets another one, because a host
could not answer it otherwise; if name and input are equal too, it is a repetition and is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.dialects.client.content import blank, join_surrogates
from conformance.dialects.client.fields import Event, integer, object_, string
from mockserver.foundation.call_arguments import read_arguments

FINISHES = {
    "stop": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "content_filter": "content-filter",
    "error": "error",
    "network_error": "error",
}
"""The finish of drive/1 for each finish reason; any other reason is `other`."""

RELEASING = frozenset({"stop", "tool_calls", "function_call"})
CUTTING = frozenset({"length", "content_filter"})


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
        return next(filter(_parses, (joined, self._without_repetitions())), joined)

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


@dataclass(slots=True)
class Call:
    """A call whose fragments are collected; `id` and `name` are empty until received."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: Arguments = field(default_factory=Arguments)
    legacy: bool = False  # from `function_call`, which has no id and is one for each choice

    def add(self, fragment: _Fragment) -> None:
        self.index = fragment.index if self.index is None else self.index
        self.id = self.id or fragment.id
        if not self.name or self._continues_name(fragment):
            self.name += fragment.name
        self.arguments.add(fragment.arguments)

    def accepts(self, fragment: _Fragment) -> bool:
        """Whether a fragment can belong to this call."""
        if fragment.id and self.id:
            # A call has a name: another id without one is of the call that lacks arguments.
            is_rest = bool(self.name) and not fragment.name and not self.arguments.complete
            return fragment.id == self.id or is_rest
        if not (fragment.name and self.name):
            return True
        if fragment.name != self.name:
            return self._continues_name(fragment)
        arguments = fragment.arguments
        repeats = isinstance(arguments, str) and self.arguments.may_repeat(arguments)
        return blank(arguments) or repeats or not self.arguments.complete

    def _continues_name(self, fragment: _Fragment) -> bool:
        """Whether the fragment has another piece of the name: the call has no arguments yet."""
        known = bool(self.id and not fragment.id and self.arguments.is_blank)
        return known and fragment.name != self.name


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    id: str
    name: str
    arguments: object


class Calls:
    """The calls of one choice."""

    def __init__(self) -> None:
        self._all: list[Call] = []
        self._by_index: dict[int, Call] = {}
        self._by_id: dict[str, Call] = {}
        self._last: Call | None = None

    def __iter__(self) -> Iterator[Call]:
        """The calls sorted by index; those without one keep their order."""
        return iter(sorted(self._all, key=lambda call: call.index or 0))

    def add(self, fragment_data: Event) -> Call:
        """Add a fragment to its call, and return the call."""
        function = object_(fragment_data, "function")
        index, id_ = integer(fragment_data, "index"), _id(fragment_data.get("id"))
        fragment = _Fragment(index, id_, string(function, "name"), function.get("arguments"))
        call = self._place(fragment) or self._new_call()
        call.add(fragment)
        if index is not None:
            self._by_index[index] = call
        if call.id:
            self._by_id.setdefault(call.id, call)
        # A fragment without index and id belongs to the call of the fragment before it.
        self._last = call
        return call

    def _place(self, fragment: _Fragment) -> Call | None:
        known = self._by_id.get(fragment.id) if fragment.id else None
        if fragment.index is not None:
            here = self._by_index.get(fragment.index)
            moved = known if known and (here or known.index is None) else None
            is_of_another = here and here.id and known and known is not here
            return here if here and here.accepts(fragment) and not is_of_another else moved
        last = self._last
        return known or (last if last and last.accepts(fragment) else None)

    def _new_call(self) -> Call:
        call = Call()
        self._all.append(call)
        return call


def _id(value: object) -> str:
    """An id as text; some upstreams send numbers."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


@dataclass(frozen=True, slots=True)
class ReleasedCall:
    """A complete call, with its arguments as text and parsed."""

    id: str
    name: str
    arguments: str
    input: Mapping[str, object]
    legacy: bool = False


@dataclass(slots=True)
class Ids:
    """The ids of the calls of one response; `response` is the id of the response."""

    prefix: str
    response: str = ""
    _owners: dict[str, Call] = field(default_factory=dict)
    _released: dict[str, ReleasedCall] = field(default_factory=dict)

    def owns(self, call: Call) -> bool:
        """Whether this is the first call with its id."""
        return bool(call.id) and self._owners.setdefault(call.id, call) is call

    def make(self, call: Call, arguments: str, input_: dict[str, object]) -> ReleasedCall | None:
        """The call with a unique id; None if it repeats a call that was released already."""
        id_ = call.id or f"{self.response or 'call'}-{len(self._released)}"
        before = self._released.get(id_)
        if before and (before.name, before.input) == (call.name, input_):
            return None
        unique = id_ if before is None else f"{id_}-{len(self._released)}"
        made = ReleasedCall(self.prefix + unique, call.name, arguments, input_, call.legacy)
        self._released[unique] = made
        return made


def release_calls(reason: str, calls: Iterable[Call], ids: Ids) -> tuple[list[ReleasedCall], str]:
    """The calls that a finish completes, and the reason why one was lost (empty if none was).

    Calls of an answer that is cut short are dropped, and do not count as lost.
    """
    made: list[ReleasedCall] = []
    lost = ""
    for call in calls:
        arguments = call.arguments.text()
        input_ = read_arguments(arguments).input
        if reason in CUTTING:
            continue
        if reason not in RELEASING:
            lost = lost or f"nothing says whether calls are whole where the finish is {reason!r}"
        elif input_ is None or not call.name:
            lost = lost or f"a call has no name ({call.name!r}) or its arguments are no object"
        elif each := ids.make(call, arguments, input_):
            made.append(each)
    return made, lost
