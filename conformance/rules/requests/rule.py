"""What rules about requests are made of; defects and findings are those of ``conformance``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Level

if TYPE_CHECKING:
    from conformance.rules.requests.evidence import SentBack

Check = Callable[["SentBack"], Iterable[Defect]]


@dataclass(frozen=True, slots=True)
class TurnRule:
    """A clause about what an adapter sends back upstream. ``check`` is pure.

    One that is asked ``always`` is asked where no request could be read, too.
    """

    id: str
    holds: str
    source: str
    check: Check
    level: Level = "must"
    always: bool = False
