"""Findings with words of their own, for tests of what shows findings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.findings.finding import Defect, Finding, Level, Recorded
from conformance.findings.words import message_of, right_of


def found(
    rule: str,
    level: Level,
    message: str,
    right: str,
    source: str,
    event: int | None = None,
    part: int | None = None,
    turn: int = 0,
    explains: tuple[Finding, ...] = (),
    kind: str = "made-up",
    values: Mapping[str, Any] | None = None,
) -> Finding:
    """A finding of a kind that no rule has, with these words."""
    recorded = Recorded(kind, values or {}, message, right)
    return Finding(rule, level, recorded, source, event, part, turn, explains)


def words_of(defect: Defect) -> str:
    """What a defect says was observed."""
    return message_of(Finding("a-rule", "must", defect.kind, "", defect.event, defect.part))


def altered(
    finding: Finding, *, message: str | None = None, right: str | None = None, **fields: Any
) -> Finding:
    """The finding with other words, and with other fields."""
    words = (
        message_of(finding) if message is None else message,
        right_of(finding) if right is None else right,
    )
    recorded = Recorded(finding.kind.name, finding.kind.values(), *words)
    return replace(finding, **{"kind": recorded, **fields})
