"""Selects the calls to emit at a finish, and makes their ids unique.

A call without an id gets one. If two calls share an id, the second gets another one, because a host
could not answer it otherwise; if name and input are equal too, it is a repetition and is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.dialects.chat.reference.calls import Call
from conformance.dialects.chat.reference.emitter import ReleasedCall
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
