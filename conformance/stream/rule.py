"""What rules about a stream are made of; defects and findings are those of ``conformance``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.findings import Defect, Level

if TYPE_CHECKING:
    from conformance.stream.evidence import Stream

Check = Callable[["Stream"], Iterable[Defect]]


@dataclass(frozen=True, slots=True)
class StreamRule:
    """A clause that every upstream is held to. ``check`` is pure.

    What the prose or the schema of OpenResponses says is of level must; what SDKs enforce, what
    recordings show, what the specification only draws, and what is our own is of level should.
    """

    id: str
    holds: str
    source: str
    check: Check
    level: Level = "must"
