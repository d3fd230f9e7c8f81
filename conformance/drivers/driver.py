"""What every way of driving an adapter has in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from conformance.contract.transcript import End, Verdict

if TYPE_CHECKING:
    from conformance.drivers.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run went: its one verdict, every ending that was said, and what else was noticed.

    Of a count that was answered (``completed``) there is the ``counted`` message.
    """

    verdict: Verdict
    ends: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
    counted: Mapping[str, Any] | None = None


CLOSED = "the suite was stopped"

Overhear = Callable[[str, bytes], None]
"""Is handed each line of drive/1 as it goes by: ``→`` the kit's, ``←`` the adapter's."""


def unasked(name: str) -> Mapping[str, Any]:
    """The hello of an adapter that is not asked for one: it is known by its program alone."""
    me = {"name": name, "version": "unknown"}
    return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}


def settled(outcome: Outcome, recorder: Recorder) -> Outcome:
    """The outcome of a run that is over: nothing more is recorded, and a flood is told."""
    recorder.close()
    if not recorder.flooded:
        return outcome
    notes = (*outcome.notes, "more parts than any answer has")
    return replace(outcome, verdict="broke-protocol", notes=notes)


class Driver(Protocol):
    """A connection to one adapter."""

    def hello(self) -> Mapping[str, Any]:
        """Who the adapter is. Raises AdapterError where it cannot be driven."""

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = ...,
        *,
        alone: bool = ...,
    ) -> Outcome:
        """Drive one run (a drive/1 ``run`` message); parts go to the recorder as they come.

        Where runs share a process, one may be lost by what another did to it: it is ``not-run``,
        and to be played again with ``alone``.

        ``ended`` is called when the adapter has ended the run, and before anything that it has left
        behind is: what it still holds open then, it holds open by itself.
        """

    def cancel(self, id_: str) -> None:
        """Cancel the run with this id, from any thread, without waiting.

        The moment at which the adapter knows of it goes to the run's recorder; a run that is over
        by then is not cancelled.
        """

    def close(self) -> None:
        """Leave nothing behind, from any thread; what is in flight ends, and nothing follows it."""


@runtime_checkable
class Counter(Driver, Protocol):
    """A connection to an adapter that can be asked to count."""

    def count(self, message: Mapping[str, Any]) -> Outcome:
        """Ask for one count (a drive/1 ``count`` message), while no run is in flight."""

    def restart(self) -> None:
        """End the adapter and start it anew. Raises AdapterError."""
