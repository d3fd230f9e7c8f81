"""The text of a failing test: a headline for each finding, what the case is about, and links."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from conformance.contract.sources import PAGE
from conformance.dialects.short_text import clip_middle
from conformance.report.columns import WIDTH
from conformance.report.finding_places import numbered
from conformance.report.summary import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.finding import Finding
    from mockserver.render import Case
    from mockserver.scenario.model import Conduct

_MOST = 99
_LEAST_VALUE = 15
# What a headline that is too long may say shorter, in this order.
_SHORTER = tuple(
    (re.compile(long), short)
    for long, short in (
        (
            r"^the run went well up to event (\d+) \(.+?\), and (.+?)(: .+)?; "
            r"to be ignored after that: (.+)$",
            r"\2 after event \1\3; to be ignored: \4",
        ),
        (
            r"^the run went well up to event (\d+) \(.+?\), which is to be ignored, and "
            r"(.+?)(: .+)?$",
            r"\2 at event \1, which is to be ignored\3",
        ),
        (r": the library raised ", ": "),
        (r" instead of ending as (.+?), although the upstream .+", r" instead of ending as \1"),
        (r", (?:but|although) the upstream (?:sent|answered with) ", " despite "),
        (r"; the upstream sent ", "; upstream: "),
        (r", without [^,]+, .+ or \S+$", " without an ending"),
        (r" after \S+ (?=\(event \d+\))", " "),
        (
            r"^a call went back upstream with the id (.+); the upstream called it (.+)$",
            r"the call \2 went back upstream as \1",
        ),
        (r"; adapter\.yaml does not set \w+, so (.+) holds", r"; default: \1"),
        (r", even when cancelled at the time limit", ""),
        (r" when it was cancelled", ""),
        (r"^the run |^the adapter (?=crashed with )", ""),
        (
            r"^a call '.*?' with id ('.*?') came out, which the upstream never sent .*",
            r"the call \1 came out, but cannot be executed",
        ),
        (
            r"^a call '.*?' with id ('.*?') came out, whose arguments do not parse as JSON; .*",
            r"the call \1 came out; its arguments are not JSON",
        ),
        (
            r"^a call '.*?' with id ('.*?') came out, which was sent after .+?; its input .*",
            r"the call \1, sent after the end, came out",
        ),
        (r"^(crashed with [^\"'].+); upstream: .+$", r"\1"),
    )
)
# Text in quotes, JSON, and words as long as only values are.
_VALUE = re.compile(r"""(?<!\w)'.+?'(?!\w)|(?<!\w)".+?"(?!\w)|[\[{].+[\]}]|\S{30,}""")

_THE_ADAPTERS = "the adapter's fault"
CONDUCT: dict[Conduct, str] = {
    "legal": f"the upstream keeps to its specification, so a failure is {_THE_ADAPTERS}",
    "deviation": "the upstream departs from its specification as real upstreams do, so an adapter "
    "has to cope with it",
    "violation": "the upstream breaks its specification: an adapter may lose what was never "
    "properly sent, but must not invent or repeat anything, hide a failure, or hang",
}
"""What a scenario's conduct says about its upstream, and about whose fault a failure is."""


_BROKEN_DUTIES = tuple(
    (rule, re.compile(message), did)
    for rule, message, did in (
        ("end-honest", r"^the run ended as 'completed'", "hid a failure"),
        ("end-honest", r"^the adapter crashed", "crashed"),
        ("end-honest", r"^no host can run the call", "passed on a call that no host can run"),
        ("end-once", r"^the run (?:did not end|ended only)", "hung"),
        ("end-once", r"^the adapter crashed", "crashed"),
        ("error-told", r"", "did not pass a failure on as it should"),
        ("call-none-invented", r"", "invented a call"),
        ("call-once", r"", "repeated a call, or joined two"),
        ("text-exact", r"\b(?:twice|added|none was sent)\b", "added to the text"),
    )
)
"""What an adapter did that it may not do whatever its upstream does, by rule and message."""


def _broken_duty(finding: Finding) -> str:
    """What the adapter did against the duties that it has towards any upstream; may be empty."""
    duties = (
        did
        for rule, message, did in _BROKEN_DUTIES
        if rule == finding.rule and message.search(finding.message)
    )
    return next(duties, "") if finding.level == "must" else ""


def headline(finding: Finding, place: str | None = None) -> str:
    """A finding in one line of less than 100 characters: its rule, what happened, and where.

    ``place`` says where it stands in the timeline of its run, if there is one.

    If it is too long, it has fewer words than the message, then long values are clipped in the
    middle, and last the message is. Its end, the rule and the place are always there.
    """
    level = " (should)" if finding.level == "should" else ""
    place = numbered(finding.turn, finding.event, finding.part) if place is None else place
    place = f" ({place})" if place else ""
    rule = f"✗ {finding.rule}{level}: "
    most = _MOST - len(rule) - len(place)
    return rule + _clipped(_shortened(visible(finding.message), most), most) + place


def _shortened(message: str, most: int) -> str:
    """A message with fewer words around its values, if it is too long."""
    for long, short in _SHORTER:
        if len(message) > most:
            message = long.sub(short, message, count=1)
    return message


def _clipped(message: str, most: int) -> str:
    """A message with its longest values shortened until it fits.

    Without values it is its first clause if that fits, and else shortened in its middle.
    """
    while len(message) > most:
        values = [value for value in _VALUE.finditer(message) if len(value[0]) > _LEAST_VALUE]
        if not values:
            first = message.partition("; ")[0]
            return f"{first}…" if len(first) < most else clip_middle(message, most)
        longest = max(values, key=lambda value: len(value[0]))
        keep = max(_LEAST_VALUE, len(longest[0]) - (len(message) - most))
        start, end = longest.span()
        message = message[:start] + clip_middle(longest[0], keep) + message[end:]
    return message


def context(
    case: Case | None, findings: Sequence[Finding], width: int = WIDTH, library: str = ""
) -> Iterator[str]:
    """Where the rules are explained, what a case is about, and how the upstream behaves in it.

    ``case`` is None for a claim, which has no scenario. ``library`` is what the adapter binds to
    the suite, if it is a binding.
    """
    for rule in dict.fromkeys(finding.rule for finding in findings):
        yield f"why: {PAGE}#{rule}, or: streamproof explain {rule}"
    if case:
        scenario = case.scenario
        title = f"this case: {visible(scenario.title)}"
        yield from wrap(title, width, subsequent_indent="  ")
        about = " ".join(visible(scenario.about.replace("\n", " ")).split())
        yield from wrap(about, width, initial_indent="  ", subsequent_indent="  ")
        holds = CONDUCT[scenario.conduct]
        if library:
            holds = holds.replace(_THE_ADAPTERS, f"the fault of {library}, or of its binding here")
        duty = next(filter(None, map(_broken_duty, findings)), "")
        here = f"; here it {duty}" if duty and scenario.conduct == "violation" else ""
        conduct = f"{scenario.conduct}: {holds}{here}"
        yield from wrap(conduct, width, initial_indent="  ", subsequent_indent="  ")
