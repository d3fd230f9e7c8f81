"""The sequences about token counts, by the ids of their items, in the order of play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.rules.counting.counts import (
    COUNT_DEFAULT_LIMIT,
    COUNT_EDITED,
    COUNT_LIMITS,
    COUNT_NEW_ONLY,
)
from conformance.rules.counting.learning import (
    COUNT_ACTUAL,
    COUNT_CORRECTION,
    COUNT_FALLBACK,
    COUNT_KEPT,
    COUNT_RATIO,
)
from conformance.rules.counting.tools import COUNT_TOOL_RESULTS, COUNT_TOOLS
from conformance.suite.counting.script import Count, Play, Restart, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASK = ("ask",)
_GROWN = ("ask", "reply", "more")
_ANSWERED = ("ask", "call", "result")
_LONG = (*_GROWN, "reply-2", "last")

# Most sequences begin with an estimate, and a run that uses twice as many tokens.
_BEGINNING = (Count("estimate", _ASK), Play("reply", _ASK, 2.0, "estimate"))

SEQUENCES: Mapping[str, Sequence] = {
    "count/limits": Sequence(
        "limits are the model's own figures, and no request has a higher one",
        (Count("asked", _ASK), Play("reply", _ASK)),
        (COUNT_LIMITS, COUNT_DEFAULT_LIMIT),
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
        (COUNT_ACTUAL, COUNT_NEW_ONLY),
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
        (COUNT_EDITED,),
    ),
    "count/tools": Sequence(
        "the total includes the tools that are offered",
        (
            Count("without tools", _ASK),
            Count("with tools", _ASK, offers_tool=True),
            Count("description", ("tool",)),
        ),
        (COUNT_TOOLS,),
    ),
    "count/tool-results": Sequence(
        "another result of the same call is estimated anew",
        (
            Count("estimate", _ASK),
            Play("call", _ASK, 2.0, "estimate", calls=True),
            Count("grown", _ANSWERED),
            Play("reply", _ANSWERED, 1.0, "grown"),
            Count("kept", _ANSWERED),
            Count("edited", ("ask", "call", "result-edited")),
            Count("alike", ("five",)),
        ),
        (COUNT_TOOL_RESULTS,),
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
        (COUNT_FALLBACK,),
    ),
    "count/restart": Sequence(
        "what the upstream told is known behind a restart",
        (*_BEGINNING, Count("before", _ASK), Restart(), Count("after", _ASK)),
        (COUNT_KEPT,),
    ),
    "count/correction-again": Sequence(
        "each run moves the factor toward the ratio of its usage to the uncorrected estimate",
        (
            Count("text before", ("probe-1",)),
            Count("estimate", _ASK),
            Play("reply", _ASK, 2.0, "estimate"),
            Count("text between", ("probe-2",)),
            Play("reply-2", ("other",), 2.0, "estimate"),
            Count("text after", ("probe-3",)),
        ),
        (COUNT_RATIO,),
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
            (COUNT_CORRECTION,),
        )
        for way, what, times in (("up", "higher", 2.0), ("down", "lower", 0.5))
    },
}
