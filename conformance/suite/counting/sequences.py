"""Sequences of counts and runs, as data.

Steps refer to messages by name. A name that begins with ``result`` is one of a tool's result, which
answers the call in the reply ``call``; one that begins with ``file`` is the model's and has a file;
any other that is no reply is one of a user. A text has the same words for each name, in another
order, so that every way to estimate tokens gives the same number for texts of the same size, while
their hashes differ. A reply is the parts that the run with this name emitted; an edited one is a
call with another input.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from conformance.findings.finding import Rule
from conformance.rules.counting.counts import (
    count_edited,
    count_files,
    count_new_only,
    count_tool_results,
    count_tools,
)
from conformance.rules.counting.evidence import Evidence
from conformance.rules.counting.learning import (
    count_actual,
    count_correction,
    count_fallback,
    count_kept,
    count_ratio,
)
from conformance.rules.counting.limits import count_default_limit, count_limits


@dataclass(frozen=True, slots=True)
class Count:
    """Have the messages named in ``of`` counted, and keep the answer under ``name``.

    With ``offers_tool``, the host offers ``TOOL``.
    """

    name: str
    of: tuple[str, ...]
    offers_tool: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """Send the messages named in ``sent``, and keep the parts of the answer as ``reply``.

    The upstream reports as input tokens ``times`` the count named ``counted``; if ``times`` is 0,
    it reports no usage. With ``calls``, the answer is a call of ``TOOL``, which is offered.
    """

    reply: str
    sent: tuple[str, ...]
    times: float = 0.0
    counted: str = ""
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Restart:
    """End the adapter and start it again; its storage stays."""


Step = Count | Play | Restart


@dataclass(frozen=True, slots=True)
class Sequence:
    """The steps of an item, and the rules that judge it; ``holds`` is true if they find nothing."""

    holds: str
    steps: tuple[Step, ...]
    rules: tuple[Rule[Evidence], ...]


_PORTION = (
    "the quick answer to a long question is seldom the whole of it because words come in many "
    "sizes and a model reads them in pieces of its own so nobody who counts letters can say how "
    "many there will be at the end of a page until somebody has paid for it and the bill tells "
    "what it was while the next page is again a guess that gets better with each bill that was "
    "read and kept in a drawer for later use when a friend asks how much of the room on the desk "
    "is left for one more letter from an old friend"
)

# Texts of more than one portion.
_PORTIONS = {
    **dict.fromkeys(("more", "probe-1", "probe-2", "probe-3"), 2),
    **dict.fromkeys(("five", "file-five"), 5),
    "six": 6,
}

# An edited text is the text before, followed by ``_ADDED`` portions.
EDITED = "-edited"
_ADDED = 4

RESULT = "result"
FILE = "file"
CALL = "call"

REPLY = "It depends on the model, and nobody knows it before the bill has come."


def text_of(name: str) -> str:
    """The user's text that has this name."""
    original = name.removesuffix(EDITED)
    if original != name:
        return f"{text_of(original)} {_shuffled(name, _ADDED)}"
    return _shuffled(name, _PORTIONS.get(name, 1))


def _shuffled(name: str, portions: int) -> str:
    keyed = [
        (sha256(f"{name} {n}".encode()).digest(), word)
        for n, word in enumerate(_PORTION.split() * portions)
    ]
    return " ".join(word for _, word in sorted(keyed))


TOOL = {
    "name": "search_letters",
    "description": text_of("tool"),
    "input_schema": {
        "type": "object",
        "properties": {"sender": {"type": "string"}},
        "required": ["sender"],
    },
}
"""The tool that is offered; its description has the words of a user's text."""


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
        (count_limits, count_default_limit),
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
        (count_actual, count_new_only),
    ),
    "count/edited": Sequence(
        "an edited message is estimated anew, and all others keep their counts",
        (
            *_BEGINNING,
            Count("grown", _GROWN),
            Play("reply-2", _GROWN, 3.0, "grown"),
            Count("kept", _GROWN),
            Count("first edited", ("ask-edited", "reply", "more")),
            Count("first alike", ("five",)),
            Count("first replaced", ("other", "reply", "more")),
            Count("last edited", ("ask", "reply", "more-edited")),
            Count("last alike", ("six",)),
            Count("one deleted", ("ask", "more")),
        ),
        (count_edited,),
    ),
    "count/files": Sequence(
        "another file in the same place is estimated anew",
        (
            Count("alike", ("file-five",)),
            Count("text before", ("probe-1",)),
            Count("estimate", ("ask", "file")),
            Play("reply", ("ask", "file"), 3.0, "estimate"),
            Count("text after", ("probe-2",)),
            Count("kept", ("ask", "file")),
            Count("edited", ("ask", "file-edited")),
        ),
        (count_files,),
    ),
    "count/tools": Sequence(
        "the total includes the tools that are offered",
        (
            Count("without tools", _ASK),
            Count("with tools", _ASK, offers_tool=True),
            Count("description", ("tool",)),
        ),
        (count_tools,),
    ),
    "count/tool-results": Sequence(
        "another result of the same call is estimated anew, and so is another input",
        (
            Count("estimate", _ASK),
            Play("call", _ASK, 2.0, "estimate", calls=True),
            Count("grown", _ANSWERED),
            Play("reply", _ANSWERED, 3.0, "grown"),
            Count("kept", _ANSWERED),
            Count("edited", ("ask", "call", "result-edited")),
            Count("replaced", ("ask", "call", "result-other")),
            Count("call edited", ("ask", "call-edited", "result")),
            Count("alike", ("five",)),
        ),
        (count_tool_results,),
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
        (count_fallback,),
    ),
    "count/restart": Sequence(
        "what the upstream told is known behind a restart",
        (*_BEGINNING, Count("before", _ASK), Restart(), Count("after", _ASK)),
        (count_kept,),
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
        (count_ratio,),
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
            (count_correction,),
        )
        for way, what, times in (("up", "higher", 2.0), ("down", "lower", 0.5))
    },
}
