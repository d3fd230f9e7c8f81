"""What rules about a stream are made of; defects and findings are those of ``conformance``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from conformance.contract.finding import Defect, Level

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class StreamRule(Generic[E]):
    """A clause that every upstream of a protocol is held to. ``check`` is pure.

    It is given what that protocol's evidence makes of a stream. What the prose or the schema of
    a protocol says is of level must; what SDKs enforce, what recordings show, what a specification
    only draws, and what is our own is of level should.
    """

    id: str
    holds: str
    source: str
    check: Callable[[E], Iterable[Defect]]
    level: Level = "must"
