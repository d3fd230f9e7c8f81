"""Counts results by the rules that they break, apart for each level."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from conformance.rules.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.findings.finding import Level
    from conformance.report.results import Result

_MOST_FIRST = 3


class Broken(NamedTuple):
    """A result that breaks a rule; ``run`` is the id of the cell's run."""

    run: str
    result: Result


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """How many results break a rule, and the first of them.

    ``holds`` is the rule in words, empty if the kit does not know it. Known failures are counted
    apart, as ``known``. ``adapters`` is by how many adapters all of these are.
    """

    rule: str
    holds: str
    count: int
    known: int
    adapters: int
    first: Sequence[Broken]


def totals_by_rule(results: Iterable[tuple[str, Result]], level: Level) -> list[RuleTotal]:
    """A total for each rule that is broken at this level, the largest first.

    ``results`` come with the ids of their runs. A result counts once for a rule, however many of
    its findings are of it; what another finding explains does not count.
    """
    by_rule: dict[str, list[Broken]] = defaultdict(list)
    for run, result in results:
        for rule in dict.fromkeys(f.rule for f in result.findings if f.level == level):
            by_rule[rule].append(Broken(run, result))
    totals = [_total(rule, broken) for rule, broken in by_rule.items()]
    return sorted(totals, key=lambda total: (-total.count, -total.known))


def _total(rule: str, broken: Sequence[Broken]) -> RuleTotal:
    known = [each for each in broken if each.result.status == "known"]
    others = [each for each in broken if each.result.status != "known"]
    return RuleTotal(
        rule=rule,
        holds=_holds().get(rule, ""),
        count=len(others),
        known=len(known),
        adapters=len({each.result.adapter for each in broken}),
        first=[*others, *known][:_MOST_FIRST],
    )


@cache
def _holds() -> Mapping[str, str]:
    """What each rule says, by its id; rules about adapters come before those about streams."""
    return {rule.id: rule.holds for table in reversed([*TABLES.values()]) for rule in table}
