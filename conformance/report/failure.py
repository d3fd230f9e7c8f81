"""The text of a failing test: a headline for each finding, what the case is about, and links."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from conformance.contract.sources import PAGE
from conformance.report.columns import WIDTH
from conformance.report.summary import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.finding import Finding
    from mockserver.render import Case
    from mockserver.scenario.model import Conduct, Scenario

_MOST = 99
_LEAST_VALUE = 15
# Text in quotes, JSON, and words as long as only values are.
_VALUE = re.compile(r"""(?<!\w)'.+?'(?!\w)|(?<!\w)".+?"(?!\w)|[\[{].+[\]}]|\S{30,}""")

CONDUCT: dict[Conduct, str] = {
    "legal": "the upstream keeps to its specification, so a failure is the adapter's fault",
    "deviation": "the upstream departs from its specification as real upstreams do, so an adapter "
    "has to cope with it",
    "violation": "the upstream breaks its specification: an adapter may lose what was never "
    "properly sent, but must not invent or repeat anything, hide a failure, or hang",
}
"""What a scenario's conduct says about its upstream, and about whose fault a failure is."""

_BY_PROFILE = (
    "the upstream streams as its vendor documents, so a failure is the adapter's fault; an adapter "
    "may ignore what the specification does not have"
)


def conduct_of(scenario: Scenario) -> tuple[str, str]:
    """The conduct of a scenario's upstream in a word or two, and what it says about failures."""
    if not scenario.profile:
        return scenario.conduct, CONDUCT[scenario.conduct]
    holds = _BY_PROFILE if scenario.conduct == "legal" else CONDUCT[scenario.conduct]
    return f"{scenario.conduct} (profile {scenario.profile})", holds


def headline(finding: Finding) -> str:
    """A finding in one line of less than 100 characters: its rule, what happened, and where.

    Long values in the message are clipped in the middle; the rule and the place never are.
    """
    level = " (should)" if finding.level == "should" else ""
    rule, place = f"✗ {finding.rule}{level}: ", _place(finding)
    return rule + _clipped(visible(finding.message), _MOST - len(rule) - len(place)) + place


def _place(finding: Finding) -> str:
    numbers = {"turn": finding.turn or None, "event": finding.event, "part": finding.part}
    words = ", ".join(f"{name} {n}" for name, n in numbers.items() if n is not None)
    return f" ({words})" if words else ""


def _clipped(message: str, most: int) -> str:
    """A message with its longest values shortened until it fits; without values, cut at its end."""
    while len(message) > most:
        values = [value for value in _VALUE.finditer(message) if len(value[0]) > _LEAST_VALUE]
        if not values:
            return message[: most - 1] + "…"
        longest = max(values, key=lambda value: len(value[0]))
        keep = max(_LEAST_VALUE, len(longest[0]) - (len(message) - most))
        start, end = longest.span()
        message = message[:start] + _middle_clipped(longest[0], keep) + message[end:]
    return message


def _middle_clipped(value: str, most: int) -> str:
    tail = (most - 1) // 2
    return f"{value[: most - 1 - tail]}…{value[-tail:]}"


def context(case: Case | None, findings: Sequence[Finding], width: int = WIDTH) -> Iterator[str]:
    """What a case is about, how the upstream behaves in it, and where its rules are explained.

    ``case`` is None for a claim, which has no scenario.
    """
    if case:
        scenario = case.scenario
        yield from wrap(visible(scenario.title), width)
        yield from wrap(": ".join(conduct_of(scenario)), width)
        about = " ".join(visible(scenario.about.replace("\n", " ")).split())
        yield from wrap(about, width, initial_indent="  ", subsequent_indent="  ")
    for rule in dict.fromkeys(finding.rule for finding in findings):
        yield f"why: {PAGE}#{rule}, or: streamproof explain {rule}"
