"""Collects the calls of a choice, and selects those that a finish completes.

By the protocol, `index` identifies a call, and its first fragment has its `id` and `name`. In real
streams, the index may be 0 for every call, or missing; ids and names may be repeated in every
fragment, or come late. So a fragment belongs to the call with its index, where only another id with
a name begins another call; fragments without an index belong together in the same way.

Arguments are the fragments joined. If these are no JSON object, as where a server repeats them, the
call is lost, and the response has failed. A call without an id gets one. If two calls share an id,
the second gets another one, because a host could not answer it otherwise.
"""

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


@dataclass(slots=True)
class Call:
    """A call whose fragments are collected; `id` and `name` are empty until received."""

    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        """The arguments so far; an empty object where there are none."""
        joined = join_surrogates("".join(self.fragments))
        return "{}" if blank(joined) else joined

    @property
    def input(self) -> dict[str, object] | None:
        """The arguments as an object; None if they are none."""
        return read_arguments(self.arguments).input

    def add(self, fragment: Event) -> None:
        function = object_(fragment, "function")
        name, arguments = string(function, "name"), function.get("arguments")
        self.id = self.id or string(fragment, "id")
        # A name may be repeated, or come in pieces.
        self.name += name if name != self.name else ""
        if arguments is not None:
            # An object in place of text is whole.
            whole = arguments if isinstance(arguments, str) else json.dumps(arguments)
            self.fragments.append(whole)

    def accepts(self, fragment: Event) -> bool:
        """Whether a fragment can belong to this call."""
        other_id = self.id and string(fragment, "id") not in ("", self.id)
        return not (other_id and string(object_(fragment, "function"), "name"))


class Calls:
    """The calls of one choice, in the order in which they begin."""

    def __init__(self) -> None:
        self._all: list[Call] = []
        self._by_index: dict[int | None, Call] = {}

    def __iter__(self) -> Iterator[Call]:
        return iter(self._all)

    def add(self, fragment: Event) -> Call:
        """Add a fragment to its call, and return the call."""
        index = integer(fragment, "index")
        call = self._by_index.get(index)
        if call is None or not call.accepts(fragment):
            self._all.append(call := Call())
        call.add(fragment)
        self._by_index[index] = call
        return call


@dataclass(frozen=True, slots=True)
class ReleasedCall:
    """A complete call, with its arguments as text and parsed."""

    id: str
    name: str
    arguments: str
    input: Mapping[str, object]


@dataclass(slots=True)
class Ids:
    """The ids of the calls of one response; `response` is the id of the response."""

    prefix: str
    response: str = ""
    _owners: dict[str, Call] = field(default_factory=dict)
    _released: int = 0

    def owns(self, call: Call) -> bool:
        """Whether this is the first call with its id."""
        return bool(call.id) and self._owners.setdefault(call.id, call) is call

    def make(self, call: Call) -> str:
        """The id of a complete call: its own if it is the first with it."""
        self._released += 1
        id_ = call.id if self.owns(call) else f"{call.id or self.response}-{self._released}"
        return self.prefix + id_


def release_calls(reason: str, calls: Iterable[Call], ids: Ids) -> tuple[list[ReleasedCall], str]:
    """The calls that a finish completes, and the reason why one was lost (empty if none was).

    Calls of an answer that is cut short are dropped, and do not count as lost.
    """
    made: list[ReleasedCall] = []
    lost = ""
    for call in () if reason in CUTTING else calls:
        if reason not in RELEASING:
            lost = f"nothing says whether calls are whole where the finish is {reason!r}"
        elif (input_ := call.input) is None or not call.name:
            lost = f"a call has no name ({call.name!r}) or its arguments are no object"
        else:
            made.append(ReleasedCall(ids.make(call), call.name, call.arguments, input_))
    return made, lost
