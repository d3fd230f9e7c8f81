"""Rules about the tokens of tools: of those that are offered, and of their results."""

from collections.abc import Iterator

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.counting.evidence import Evidence, agrees_with_estimate


class ToolsNotCounted(Kind):
    """The total with a tool is not higher by the tokens of the tool."""

    without: int
    total: int
    description: int
    due: int

    message = (
        "the total is {without} without tools and {total} with a tool whose description alone is "
        "estimated as {description}"
    )
    right = "about {due} or more: tools are sent with the messages"
    headline = "the total is {without} without tools and {total} with one"


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
    if with_ - without < described / 2:
        kind = ToolsNotCounted(without, with_, described, without + described)
        yield Defect(kind, topics("tools"))


class ResultNotRecounted(Kind):
    """The result of a call has another count than a text of as many words."""

    count: int
    before: int
    alike: int

    message = (
        "the result of a call has five times as many words as before, and the count is {count}; "
        "before it was {before}, and a text of as many words is {alike}"
    )
    right = "an estimate of the new result, about {alike}"
    headline = "an edited result is counted as {count}, not about {alike}"


@rule(
    holds="a tool result is known by its content, and not by the id of its call alone",
    source="stream-mapping § Per-Message Hash-Based Caching",
    kinds=(ResultNotRecounted,),
)
def count_tool_results(evidence: Evidence) -> Iterator[Defect]:
    kept, edited = evidence.answers["kept"], evidence.answers["edited"]
    alike = evidence.tokens("alike")
    if kept.counts and edited.counts:
        was, is_ = kept.counts[-1], edited.counts[-1]
        wrong = not agrees_with_estimate(is_, alike)
    else:
        was, is_ = kept.tokens, edited.tokens
        wrong = is_ < alike / 2 or is_ == was
    if wrong:
        yield Defect(ResultNotRecounted(is_, was, alike), topics("edited"))
