"""Which calls leave with a finish, and under which ids.

Whoever has no id gets one of its own. Ids that two calls share are told apart, because a host could
not answer the second; where even name and input are the same, it is one call told twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.dialects.chat.reference.calls import Call
from conformance.dialects.chat.reference.emitter import Made
from mockserver.call_arguments import read_arguments

FINISHES = {
    "stop": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "content_filter": "content-filter",
    "error": "error",
    "network_error": "error",
}
"""Finish reasons and what they mean; any other word is `other`."""

RELEASING = frozenset({"stop", "tool_calls", "function_call"})
CUTTING = frozenset({"length", "content_filter"})


@dataclass(slots=True)
class Ids:
    """The ids of the calls of one response; `response` is its own."""

    prefix: str
    response: str = ""
    _owners: dict[str, Call] = field(default_factory=dict)
    _made: dict[str, Made] = field(default_factory=dict)

    def owns(self, call: Call) -> bool:
        """Is this the first call with its id?"""
        return bool(call.id) and self._owners.setdefault(call.id, call) is call

    def make(self, call: Call, arguments: str, input_: dict[str, object]) -> Made | None:
        """The call as it leaves; None where it has left already."""
        id_ = call.id or f"{self.response or 'call'}-{len(self._made)}"
        before = self._made.get(id_)
        if before and (before.name, before.input) == (call.name, input_):
            return None
        unique = id_ if before is None else f"{id_}-{len(self._made)}"
        made = Made(self.prefix + unique, call.name, arguments, input_, call.legacy)
        self._made[unique] = made
        return made


def released(reason: str, calls: Iterable[Call], ids: Ids) -> tuple[list[Made], str]:
    """The calls that a finish sets free, and why others were lost, if any were.

    What an answer that is cut short leaves behind is expected, and nothing lost.
    """
    made: list[Made] = []
    lost = ""
    for call in calls:
        arguments = call.arguments.whole()
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
