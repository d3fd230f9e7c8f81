"""The reasons to finish: those that are given, right for an ending, or wrong for it."""

from collections.abc import Iterable
from typing import Any

from conformance.dialects import KIT
from conformance.vocabularies.stream import reason_name

# Finish reasons that contradict the outcome of the upstream's response.
_WRONG = {"completed": ("length", "content-filter", "error"), "incomplete": ("stop", "tool-calls")}
# A limit may be raised and a filter may not: a host does different things about them.
_OTHER_CAUSES = {"length": ("content-filter",), "content-filter": ("length",)}


def reasons_due(
    outcome: str, reason: str, *, calls: bool | None, may_filter: bool
) -> frozenset[str]:
    """The reasons to finish that are right for a response that has not failed.

    ``calls`` is whether the host has calls to answer; None if all of them are optional. With
    ``may_filter``, a completed response may finish by the content filter, as a refusal does.
    """
    due = {reason} if outcome in ("completed", "incomplete") else set()
    if outcome == "completed":
        due |= {"" if calls else "stop", "tool-calls" if calls is not False else ""}
        due |= {"content-filter"} if may_filter else set()
    return frozenset(due) - {""}


def reasons_given(dialect: str, events: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The reasons that the wire itself gives, under the names that drive/1 has for them.

    ``events`` are the types and the data of events.
    """
    reasons = KIT[dialect].endings.reasons
    given = (
        reason_name(reason)
        for type_, data in events
        if isinstance(data, dict)
        for reason in reasons(type_, data)
    )
    return frozenset(filter(None, given))


def wrong_reasons(outcome: str, cause: str, refused: str) -> tuple[str, ...]:
    """The finish reasons that are wrong for an outcome and, if it is incomplete, for its cause.

    A refusal may finish by the content filter.
    """
    others = _OTHER_CAUSES.get(cause, ()) if outcome == "incomplete" else ()
    wrong = (*_WRONG.get(outcome, ()), *others)
    return tuple(reason for reason in wrong if not refused or reason != "content-filter")
