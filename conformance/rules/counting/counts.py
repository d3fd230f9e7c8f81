"""Rules about counts without usage: only new or edited messages change, and tools count."""

from collections.abc import Iterator
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import EndedValue
from conformance.rules.counting.evidence import (
    Evidence,
    agrees_with_estimate,
    are_unchanged,
    is_near,
)

_RIGHT_ANSWER = (
    "a counted message with a count for each message, a total, or both; runs that complete; or an "
    "adapter.yaml without count: true"
)


class CountNotAnswered(Kind, weighs="falsehood"):
    """A count ends otherwise than with an answer."""

    ended: EndedValue

    message = "a count was not answered, but ended as {ended:ended}"
    right = _RIGHT_ANSWER
    same_by = ("ended.verdict", "ended.error_class")


class CountedAsNothing(Kind, weighs="falsehood"):
    """A text of many words has no tokens, before any run."""

    message = "a text of many words was counted as 0 tokens, before any run"
    right = _RIGHT_ANSWER


class RunBetweenCountsBroken(Kind, weighs="falsehood"):
    """A run between two counts does not complete."""

    ended: EndedValue

    message = "a run between counts ended as {ended:ended}"
    right = _RIGHT_ANSWER
    same_by = ("ended.verdict", "ended.error_class")


class CallBetweenCountsLost(Kind, weighs="falsehood"):
    """A run between two counts does not emit the one call that was sent, with its id."""

    calls: int

    message = (
        "a run between counts emitted {calls} call(s) with an id to answer, and the upstream sent "
        "one"
    )
    right = _RIGHT_ANSWER


@rule(
    holds="a count is answered, with a count for each message or a total, and runs go on as ever",
    source="drive/1",
    kinds=(CountNotAnswered, CountedAsNothing, RunBetweenCountsBroken, CallBetweenCountsLost),
)
def count_answered(evidence: Evidence) -> Iterator[Defect]:
    if evidence.broken:
        yield Defect(evidence.broken, topics("end"))


_ONLY_NEW = "what was sent as it was counted, and an estimate of what is new beside it"


class ReplyRecounted(Kind, weighs="falsehood"):
    """With a short reply behind it, a message has many more tokens, or fewer."""

    before: int
    after: int

    message = "with its short reply behind it, {before} tokens become {after}"
    right = _ONLY_NEW


class SentMessagesRecounted(Kind, weighs="falsehood"):
    """Messages that were sent have other counts beside new ones."""

    first: tuple[int, ...]
    answered: tuple[int, ...]
    grown: tuple[int, ...]

    message = (
        "messages that were sent are counted anew: {first:numbers}, then {answered:numbers}, then "
        "{grown:numbers}"
    )
    right = _ONLY_NEW


class NewMessageMiscounted(Kind, weighs="falsehood"):
    """A new message adds another number of tokens than it has alone."""

    alone: int
    added: int

    message = "a new message of {alone} tokens, if it is counted alone, adds {added}"
    right = _ONLY_NEW


@rule(
    holds="only new messages are estimated; what was sent keeps its count",
    source="stream-mapping § Hybrid Token Estimation",
    kinds=(ReplyRecounted, SentMessagesRecounted, NewMessageMiscounted),
)
def count_new_only(evidence: Evidence) -> Iterator[Defect]:
    names = ("first", "answered", "grown")
    first, answered, grown = map(evidence.tokens, names)
    counts = [evidence.counts(name) for name in names]
    added, alone = grown - answered, evidence.tokens("new")
    # A reply is short, and how to estimate it is up to the adapter.
    if not -first / 10 <= answered - first <= first / 2:
        yield _recounted(ReplyRecounted(first, answered))
    elif not are_unchanged(counts[1], counts[0]) or not are_unchanged(counts[2], counts[1]):
        yield _recounted(SentMessagesRecounted(*counts))
    elif not agrees_with_estimate(added, alone):
        yield _recounted(NewMessageMiscounted(alone, added))


def _recounted(kind: Kind) -> Defect:
    return Defect(kind, topics("new"), needs=topics("actual"))


class OthersRecounted(Kind, weighs="falsehood"):
    """Messages beside the edited one have other counts."""

    which: str
    kept: tuple[int, ...]
    counts: tuple[int, ...]

    message = "when the {which} message is edited, {kept:numbers} becomes {counts:numbers}"
    right = "another count of the {which} message, and those of the others as they were"
    headline = "when a message is edited, others are counted anew"


class EditedNotRecounted(Kind, weighs="falsehood"):
    """An edited message has another count than a new text of as many words."""

    which: str
    count: int
    before: int
    alike: int

    message = (
        "the {which} message was edited, and is counted as {count}; before it was {before}, and a "
        "new text of as many words is {alike}"
    )
    right = "an estimate of the new text, about {alike}"
    headline = "an edited message is counted as {count}, not about {alike}"


class RecountedAfterDeletion(Kind, weighs="falsehood"):
    """With a message deleted, the others have other counts."""

    kept: tuple[int, ...]
    counts: tuple[int, ...]

    message = "with a message between them deleted, {kept:numbers} becomes {counts:numbers}"
    right = "the counts of the others as they were"
    headline = "when a message is deleted, others are counted anew"


# The edits: which message, its index, a text for comparison and how many times as long it is.
_EDITS = (
    ("first", "first edited", 0, "first alike", 1),
    ("first", "first replaced", 0, "first alike", 5),
    ("last", "last edited", 2, "last alike", 1),
)


def _only_totals(evidence: Evidence) -> str:
    """Why the counts of messages cannot be compared; empty if they can."""
    return "" if evidence.counts("kept") else "the adapter tells totals only"


@rule(
    holds="an edited message is estimated anew, and all others keep their counts",
    source="stream-mapping § Per-Message Hash-Based Caching",
    not_applicable=_only_totals,
    kinds=(OthersRecounted, EditedNotRecounted, RecountedAfterDeletion),
)
def count_edited(evidence: Evidence) -> Iterator[Defect]:
    """One of the edited messages is as long as it was before."""
    kept = evidence.counts("kept")
    for which, edited, place, compared, times in _EDITS:
        counts, alike = evidence.counts(edited), evidence.tokens(compared) // times
        others = counts[:place] + counts[place + 1 :], kept[:place] + kept[place + 1 :]
        if not are_unchanged(*others):
            yield Defect(OthersRecounted(which, kept, counts), topics("others"))
        elif not agrees_with_estimate(counts[place], alike):
            kind = EditedNotRecounted(which, counts[place], kept[place], alike)
            yield Defect(kind, topics("edited"))
    left = kept[0], kept[2]
    if not are_unchanged(counts := evidence.counts("one deleted"), left):
        # An adapter that knows the messages before an edit alone recounts those after it, too.
        yield Defect(RecountedAfterDeletion(left, counts), topics("left"), needs=topics("others"))


class ToolsNotCounted(Kind, weighs="falsehood"):
    """The total with a tool is not higher by the tokens of the tool, or by many times as many."""

    without: int
    total: int
    description: int
    due: int

    message = (
        "the total is {without} without tools and {total} with a tool whose description alone is "
        "estimated as {description}"
    )
    right = "about {due}, or somewhat more: tools are sent with the messages"
    headline = "the total is {without} without tools and {total} with one"


# The schema, names and braces of the tool, in relation to its description.
_MOST_OF_A_TOOL = 4


def _no_total(evidence: Evidence) -> str:
    """Why tools cannot be in a count; empty if they can."""
    has_total = evidence.answers["with tools"].total is not None
    return "" if has_total else "the adapter tells the counts of messages only"


@rule(
    holds="a total includes the tools that are offered",
    source="stream-mapping § IMPORTANT: Tool Schema Token Estimation",
    not_applicable=_no_total,
    kinds=(ToolsNotCounted,),
)
def count_tools(evidence: Evidence) -> Iterator[Defect]:
    """The total includes the tools. How their schemas are estimated is up to the adapter."""
    without, with_ = evidence.tokens("without tools"), evidence.tokens("with tools")
    described = evidence.tokens("description")
    if not described / 2 <= with_ - without <= _MOST_OF_A_TOOL * described:
        kind = ToolsNotCounted(without, with_, described, without + described)
        yield Defect(kind, topics("tools"))


class ContentNotRecounted(Kind, weighs="falsehood"):
    """A call with another input, or its other result, has another count than as many words have."""

    what: Literal["result", "input"]
    count: int
    before: int
    alike: int

    message = (
        "the {what} of a call is another one, and the count is {count}; before it was {before}, "
        "and a text of as many words is {alike}"
    )
    right = "an estimate of the new {what}, about {alike}"
    headline = "an edited {what} is counted as {count}, not about {alike}"
    same_by = ("what",)


_CONTENTS: tuple[tuple[Literal["result", "input"], str, int, int], ...] = (
    ("result", "edited", 2, 1),
    ("result", "replaced", 2, 5),
    ("input", "call edited", 1, 1),
)
"""What is edited, in which count and message, and how many times as long the text alike is."""


@rule(
    holds="a call is known by its input and a tool result by its content, and neither by the id of "
    "the call alone",
    source="stream-mapping § Per-Message Hash-Based Caching",
    kinds=(ContentNotRecounted,),
)
def count_tool_results(evidence: Evidence) -> Iterator[Defect]:
    kept = evidence.answers["kept"]
    for what, name, place, times in _CONTENTS:
        edited, alike = evidence.answers[name], evidence.tokens("alike") // times
        if kept.counts and edited.counts:
            was, is_ = kept.counts[place], edited.counts[place]
            wrong = not agrees_with_estimate(is_, alike)
        else:
            was, is_ = kept.tokens, edited.tokens
            wrong = is_ < alike / 2 or is_ == was
        if wrong:
            yield Defect(ContentNotRecounted(what, is_, was, alike), topics(what))


class FileNotRecounted(Kind, weighs="falsehood"):
    """Another file in a message has the actual count of the file before it."""

    count: int
    before: int
    least: int
    most: int

    message = (
        "a file was replaced by one five times as long, and its message is counted as {count}, as "
        "before; another file of that length was estimated as {least}"
    )
    right = "an estimate of the new file, from {least} to {most}"
    headline = "a message with another file is counted as {count}, as before"


@rule(
    holds="a file is known by its content, and not by its media type alone",
    source="stream-mapping § Per-Message Hash-Based Caching",
    not_applicable=_only_totals,
    kinds=(FileNotRecounted,),
)
def count_files(evidence: Evidence) -> Iterator[Defect]:
    """Another file has an estimate, corrected or not, and not the actual count of the first one.

    An estimate may follow from the length of a file, or be the same for each file.
    """
    was, is_ = evidence.counts("kept")[-1], evidence.counts("edited")[-1]
    least = evidence.tokens("alike")
    most = round(least * evidence.tokens("text after") / evidence.tokens("text before"))
    fits = agrees_with_estimate(is_, least) or agrees_with_estimate(is_, most)
    if is_near(is_, was, 1) and not (fits or least < is_ < most):
        yield Defect(FileNotRecounted(is_, was, least, most), topics("edited"))
