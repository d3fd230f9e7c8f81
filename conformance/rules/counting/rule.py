"""What rules about counts are made of; defects and findings are those of ``conformance``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Level

if TYPE_CHECKING:
    from conformance.rules.counting.evidence import Evidence

Check = Callable[["Evidence"], Iterable[Defect]]


def _always(_evidence: Evidence) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class CountRule:
    """A clause about what an adapter counts. ``check`` is pure.

    ``unfit`` says why it cannot be asked of an adapter that has told what it has; empty where it
    can.
    """

    id: str
    holds: str
    source: str
    check: Check
    level: Level = "must"
    unfit: Callable[[Evidence], str] = _always
