"""The text of a failing test: a headline for each finding, what the case is about, and links."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from conformance.contract.sources import PAGE
from conformance.report.columns import WIDTH
from conformance.report.finding_places import ELSEWHERE, numbered
from conformance.report.shortening import shortened
from conformance.report.summary import visible
from conformance.rules.ending import END_HONEST
from conformance.vocabularies.vocabulary import NO_OBJECT_ARGUMENTS, NO_OBJECT_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.finding import Finding
    from mockserver.render import Case
    from mockserver.scenario.model import Conduct

_MOST = 99
_THE_ADAPTERS = "the adapter's fault"
CONDUCT: dict[Conduct, str] = {
    "legal": f"the upstream keeps to its specification, so a failure is {_THE_ADAPTERS}",
    "deviation": "the upstream departs from its specification as real upstreams do, so an adapter "
    "has to cope with it",
    "violation": "the upstream breaks its specification: an adapter may lose what was never "
    "properly sent, but must not invent or repeat anything, hide a failure, or hang",
}
"""What a scenario's conduct says about its upstream, and about whose fault a failure is."""


def headline(finding: Finding, place: str | None = None) -> str:
    """A finding in one line of less than 100 characters: its rule, what happened, and where.

    ``place`` says where it stands in the timeline of its run, if there is one. It is left out where
    the message has it, if both together are too long.
    """
    level = " (should)" if finding.level == "should" else ""
    place = numbered(finding.turn, finding.event, finding.part) if place is None else place
    rule = f"✗ {finding.rule}{level}: "
    message, room = visible(finding.message), _MOST - len(rule)
    if len(message) + len(_in_brackets(place)) > room:
        place = place.partition(ELSEWHERE)[0]
    most = room - len(_in_brackets(place))
    if len(message) > most and place and (alone := shortened(message, room)):
        place = "" if re.search(rf"\b{place}\b", alone) else place
    return rule + shortened(message, room - len(_in_brackets(place))) + _in_brackets(place)


def _in_brackets(place: str) -> str:
    return f" ({place})" if place else ""


def causes_first(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a run by level and turn, and wrong calls before a failure that reports them.

    Vocabularies report a call whose arguments are not a JSON object as a failure of the run.
    """
    return sorted(findings, key=lambda each: (each.level != "must", each.turn, _follows(each)))


def _follows(finding: Finding) -> bool:
    reports = (NO_OBJECT_INPUT, NO_OBJECT_ARGUMENTS)
    return finding.rule == END_HONEST.id and any(said in finding.message for said in reports)


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
        conduct = f"{scenario.conduct}: {holds}"
        yield from wrap(conduct, width, initial_indent="  ", subsequent_indent="  ")
