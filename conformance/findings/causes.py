"""Groups findings by their causes: what one change of the adapter would most likely repair.

Failures with the same rule, the same kind and the same values of the kind's ``same_by`` have one
cause, in however many cases they were found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.findings.finding import Finding, Level
from mockserver.scenario.model import Conduct

_ORDER: dict[Conduct, int] = {"legal": 0, "deviation": 1, "violation": 2}

STREAMS: dict[Conduct, str] = {
    "legal": "legal streams",
    "deviation": "streams that deviate from their specification",
    "violation": "streams that break their specification",
}
"""The streams of a conduct, in words."""

CauseId = tuple[str, str, tuple[str, ...]]
"""A rule, a kind, and the values that tell causes of this kind apart."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding in a case; ``size`` is the number of the events that were sent.

    A claim of an adapter has no stream; it counts as ``legal``, and has the size 0.
    """

    case: str
    conduct: Conduct
    finding: Finding
    size: int = 0


@dataclass(frozen=True)
class Cause:
    """Findings that one mistake explains, in the order in which they were found."""

    id: CauseId
    found: Sequence[Found]

    @property
    def rule(self) -> str:
        """The id of the rule that is broken."""
        return self.id[0]

    @property
    def kind(self) -> str:
        """What is wrong by this rule."""
        return self.id[1]

    @property
    def title(self) -> str:
        """The rule, the kind, and the values that tell it from other causes of this kind."""
        same = ", ".join(filter(None, self.id[2]))
        return f"{self.rule}/{self.kind}{f' ({same})' if same else ''}"

    @cached_property
    def level(self) -> Level:
        """The highest level among the findings."""
        return "must" if any(each.finding.level == "must" for each in self.found) else "should"

    @cached_property
    def cases(self) -> list[str]:
        """The ids of the cases, each once."""
        return list(dict.fromkeys(each.case for each in self.found))

    @cached_property
    def conduct(self) -> Conduct:
        """That of the most regular stream among the cases of the cause's level."""
        return self.smallest.conduct

    @cached_property
    def smallest(self) -> Found:
        """The finding to look at first: on a legal stream, without variation, with few events.

        One of a stream that was sent comes before one without.
        """
        return min(
            self.found,
            key=lambda each: (
                each.finding.level != self.level,
                _ORDER[each.conduct],
                each.case.count("+"),
                not each.size,
                each.size,
            ),
        )


def cause_of(finding: Finding) -> CauseId:
    """What findings with the same cause have in common."""
    return finding.rule, finding.kind.name, finding.kind.same()


def group_by_cause(found: Iterable[Found]) -> list[Cause]:
    """The causes of findings: those of level ``must`` first, then those on legal streams, then
    those of most cases.
    """
    groups: dict[CauseId, list[Found]] = {}
    for each in found:
        groups.setdefault(cause_of(each.finding), []).append(each)
    causes = [Cause(id_, group) for id_, group in groups.items()]
    return sorted(
        causes, key=lambda each: (each.level != "must", _ORDER[each.conduct], -len(each.cases))
    )
