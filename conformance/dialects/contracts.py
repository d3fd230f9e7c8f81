"""A profile as a contract: the customs of an upstream, and a stream read with them in mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.custom import Custom
from mockserver.dialects.profile import Profile
from mockserver.dialects.profiles import PROFILES
from mockserver.faults import Problem, UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class Kept:
    """A custom that a stream keeps, and the numbers of the events that show it."""

    custom: Custom
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A stream without its upstream's customs, and the customs that were undone."""

    events: tuple[SentEvent, ...]
    framing: Framing | None
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """What one upstream is held to in one dialect: the specification, but for its customs.

    The customs are undone in their order.
    """

    profile: Profile
    customs: tuple[Custom, ...]

    def read(self, events: Sequence[SentEvent], framing: Framing | None) -> Reading:
        """The stream with every custom undone."""
        kept = []
        for custom in self.customs:
            before = {id(event) for event in events}
            undone = custom.undo(events)
            changed = {event.n for event in undone if id(event) not in before}
            if changed:
                kept.append(Kept(custom, tuple(sorted(changed))))
                framing = _renamed(events, undone, framing)
                events = undone
        return Reading(tuple(events), framing, tuple(kept))


def _renamed(
    before: Sequence[SentEvent], after: Sequence[SentEvent], framing: Framing | None
) -> Framing | None:
    """The framing in which an event that is called otherwise now has an ``event:`` line to match.

    A line that did not match before is left as it is.
    """
    if framing is None or not framing.names:
        return framing
    types = {event.n: event.type for event in before}
    names = {
        event.n: event.type
        for event in after
        if event.n in framing.names and framing.names[event.n] == types.get(event.n)
    }
    return replace(framing, names={**framing.names, **names})


CONTRACTS: tuple[Contract, ...] = tuple(
    Contract(profile, KIT[profile.dialect].customs.get(profile.name, ())) for profile in PROFILES
)


def contracts_of(dialect: str) -> tuple[Contract, ...]:
    """The contracts of a dialect; none for a dialect without profiles."""
    return tuple(each for each in CONTRACTS if each.profile.dialect == dialect)


def contract(name: str, dialect: str) -> Contract:
    """The contract of a profile. Raises UserError where the dialect does not have it."""
    known = {each.profile.name: each for each in contracts_of(dialect)}
    if name in known:
        return known[name]
    names = ", ".join(known) or "none"
    here = f"the profiles of {dialect} are: {names}" if known else f"{dialect} has no profiles"
    spoken = [each.profile.dialect for each in CONTRACTS if each.profile.name == name]
    if spoken:
        message = f"the stream is in {dialect}, and {name!r} is a profile of {', '.join(spoken)}"
        raise UserError(Problem(message, hint=here))
    guess = did_you_mean(name, known)
    raise UserError(
        Problem(f"no profile is called {name!r:.80}", hint="; ".join(filter(None, (guess, here))))
    )
