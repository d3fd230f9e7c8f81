"""What every way of driving an adapter has in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from conformance.transcript import End, Verdict

if TYPE_CHECKING:
    from conformance.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run went: its one verdict, every ending that was said, and what else was noticed."""

    verdict: Verdict
    ends: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()


class Driver(Protocol):
    """A connection to one adapter."""

    def hello(self) -> Mapping[str, Any]:
        """Who the adapter is. Raises AdapterError where it cannot be driven."""

    def run(self, message: Mapping[str, Any], recorder: Recorder) -> Outcome:
        """Drive one run (a drive/1 ``run`` message); parts go to the recorder as they come."""

    def close(self) -> None:
        """Leave nothing behind."""
