"""The sequences, by the ids of their items, in the order in which they are played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.rules.counting import (
    count_actual,
    count_correction,
    count_edited,
    count_fallback,
    count_kept,
    count_limits,
    count_new_only,
)
from conformance.suite.counting.script import Count, Play, Restart, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASK = ("ask",)
_GROWN = ("ask", "reply", "more")
_LONG = (*_GROWN, "reply-2", "last")

# What most of them begin with: an estimate, and a run that cost twice as much.
_BEGINNING = (Count("estimate", _ASK), Play("reply", _ASK, 2.0, "estimate"))

SEQUENCES: Mapping[str, Sequence] = {
    "count/limits": Sequence(
        "limits are the model's own figures",
        (Count("asked", _ASK),),
        (count_limits.RULE,),
    ),
    "count/actual": Sequence(
        "what the upstream told replaces an estimate, and only new messages are estimated",
        (
            *_BEGINNING,
            Count("first", _ASK),
            Count("answered", ("ask", "reply")),
            Count("new", ("more",)),
            Count("grown", _GROWN),
            Play("reply-2", _GROWN, 1.5, "grown"),
            Count("second", _GROWN),
        ),
        (count_actual.RULE, count_new_only.RULE),
    ),
    "count/edited": Sequence(
        "an edited message is estimated anew, and all others keep their counts",
        (
            *_BEGINNING,
            Count("grown", _GROWN),
            Play("reply-2", _GROWN, 1.5, "grown"),
            Count("kept", _GROWN),
            Count("first edited", ("ask-edited", "reply", "more")),
            Count("first alike", ("five",)),
            Count("last edited", ("ask", "reply", "more-edited")),
            Count("last alike", ("six",)),
        ),
        (count_edited.RULE,),
    ),
    "count/missing-usage": Sequence(
        "where no usage is told, everything is counted as before",
        (
            Count("before", _ASK),
            Count("text before", ("probe-1",)),
            Play("reply", _ASK),
            Count("after", _ASK),
            Count("text after", ("probe-2",)),
            Play("reply-2", _GROWN, 2.0, "before"),
            Count("known", _LONG),
            Play("reply-3", _LONG),
            Count("still known", _LONG),
        ),
        (count_fallback.RULE,),
    ),
    "count/restart": Sequence(
        "what the upstream told is known behind a restart",
        (*_BEGINNING, Count("before", _ASK), Restart(), Count("after", _ASK)),
        (count_kept.RULE,),
    ),
    **{
        f"count/correction-{way}": Sequence(
            f"estimates are corrected {way}wards where the actual counts are {what}",
            (
                Count("text before", ("probe-1",)),
                Count("estimate", _ASK),
                Play("reply", _ASK, times, "estimate"),
                Count("text after", ("probe-2",)),
            ),
            (count_correction.RULE,),
        )
        for way, what, times in (("up", "higher", 2.0), ("down", "lower", 0.5))
    },
}
