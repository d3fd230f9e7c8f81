"""Reads a stream as a profile allows: deviations of its upstream are undone before the rules run.

A profile names an upstream (``azure``, ``copilot``); its exceptions are the deviations from the
specification that this upstream is known for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.profile_exception import ProfileException
from conformance.dialects.tables import table
from mockserver.dialects import PROFILES
from mockserver.dialects.profile import Profile
from mockserver.foundation.faults import Problem, UserError, nearest


@dataclass(frozen=True, slots=True)
class ObservedException:
    """An exception found in a stream, and the numbers of the events that have it."""

    exception: ProfileException
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadStream:
    """A stream without the deviations that a contract allows; ``observed`` were in it."""

    events: tuple[SentEvent, ...]
    framing: Framing | None
    observed: tuple[ObservedException, ...] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """What a stream of one upstream must be: the specification with the exceptions of its profile.

    The exceptions are undone in the order of the tuple.
    """

    profile: Profile
    exceptions: tuple[ProfileException, ...]

    def read(self, events: Sequence[SentEvent], framing: Framing | None) -> ReadStream:
        """Undo every exception of the contract in a stream."""
        observed = []
        sent = {event.n for event in events}
        for exception in self.exceptions:
            if exception.framed and framing is None:
                continue
            before = {id(event) for event in events}
            undone = exception.undo(events)
            # An added event is shown at the last one that was sent.
            changed = {min(event.n, max(sent)) for event in undone if id(event) not in before}
            if changed:
                observed.append(ObservedException(exception, tuple(sorted(changed))))
                framing = _rename_events(events, undone, framing)
                events = undone
        return ReadStream(tuple(events), framing, tuple(observed))


def _rename_events(
    before: Sequence[SentEvent], after: Sequence[SentEvent], framing: Framing | None
) -> Framing | None:
    """The framing with the ``event:`` lines of renamed events changed to the new types.

    A line that did not match the old type is not changed, so that it is still found.
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


def _exceptions(profile: Profile) -> Iterator[ProfileException]:
    """The exceptions of a profile, inherited ones too, in the order of the table.

    The evidence of an inherited one is the profile's own if the table has it.
    """
    dialect = KIT[profile.dialect]
    undo = dialect.legality.undo
    for id_, each in table(dialect.documents.folder, "exceptions").items() if undo else ():
        upstreams = each["upstreams"]
        shown = upstreams.get(profile.name, upstreams.get(profile.inherits))
        if shown is not None:
            yield ProfileException(
                id_,
                each["about"],
                tuple(each["rules"]),
                undo[id_],
                tuple(shown.get("source", ())),
                tuple(shown.get("shown_by", ())),
                each.get("framed", False),
            )


CONTRACTS: tuple[Contract, ...] = tuple(
    Contract(profile, tuple(_exceptions(profile))) for profile in PROFILES
)


def contracts_of(dialect: str) -> tuple[Contract, ...]:
    """The contracts of a dialect; empty for a dialect without profiles."""
    return tuple(each for each in CONTRACTS if each.profile.dialect == dialect)


def contract(name: str, dialect: str) -> Contract:
    """The contract of a profile. Raises UserError if the dialect has no profile of that name."""
    known = {each.profile.name: each for each in contracts_of(dialect)}
    if name in known:
        return known[name]
    check_profile(name)
    here = f"the profiles of {dialect} are: {', '.join(known)}" if known else f"{dialect} has none"
    others = ", ".join(each.profile.dialect for each in CONTRACTS if each.profile.name == name)
    message = f"the stream is in {dialect}, and {name!r} is a profile of {others}"
    raise UserError(Problem(message, hint=here))


def check_profile(name: str) -> None:
    """Raises UserError, with the names of all profiles, if no dialect has one of that name."""
    if any(each.profile.name == name for each in CONTRACTS):
        return
    by_dialect: dict[str, list[str]] = {}
    for each in CONTRACTS:
        by_dialect.setdefault(each.profile.dialect, []).append(each.profile.name)
    close = nearest(name, (each.profile.name for each in CONTRACTS), most=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    known = (f"those of {dialect} are {', '.join(names)}" for dialect, names in by_dialect.items())
    raise UserError(Problem(f"no profile is called {name!r:.80}", hint=guess + "; ".join(known)))
