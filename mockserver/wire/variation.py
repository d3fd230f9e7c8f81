"""What a variation is: a named change under which the emitted parts stay the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mockserver.wire.event import Step
from mockserver.wire.frames import Framing

Change = Callable[[Sequence[Step]], Sequence[Step]]
Need = Callable[[Sequence[Step]], str]


def unchanged(framing: Framing) -> Framing:
    """The framing as it is."""
    return framing


def untouched(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps as they are."""
    return steps


def nothing(_steps: Sequence[Step]) -> str:
    """A variation that makes sense wherever it is applied."""
    return ""


@dataclass(frozen=True, slots=True)
class Variation:
    """One change to how a stream is written, or to the events themselves, and who sends such.

    ``change`` is asked for the framing, ``events`` for the steps of a turn; ``dialects`` are those
    to whose events it applies (none: any). ``misfit`` says why it makes no sense for the steps of a
    turn, in words, or nothing. Under ``calls_at_end`` the wire completes calls only as the response
    ends, whatever the script says. A bundle names the variations that it ``consists_of``. A profile
    that is known in several dialects is another bundle in each: ``by_dialect``.
    """

    name: str
    about: str
    change: Callable[[Framing], Framing] = unchanged
    events: Change = untouched
    dialects: tuple[str, ...] = ()
    misfit: Need = nothing
    calls_at_end: bool = False
    consists_of: tuple[str, ...] = ()
    by_dialect: tuple[tuple[str, Variation], ...] = ()

    def applies(self, dialect: str) -> bool:
        """Can a turn in this dialect be varied so?"""
        return not self.dialects or dialect in self.dialects

    def within(self, dialect: str) -> Variation:
        """What it is in a dialect: itself, unless it differs by dialect."""
        return dict(self.by_dialect).get(dialect, self)


def bundle(name: str, about: str, *members: Variation) -> Variation:
    """Variations that one upstream has all at once; a member that makes no sense is left out."""

    def change(framing: Framing) -> Framing:
        for member in members:
            framing = member.change(framing)
        return framing

    def events(steps: Sequence[Step]) -> Sequence[Step]:
        for member in members:
            if not member.misfit(steps):
                steps = member.events(steps)
        return steps

    def misfit(steps: Sequence[Step]) -> str:
        reasons = [member.misfit(steps) for member in members]
        return "; ".join(reasons) if all(reasons) else ""

    return Variation(
        name,
        about,
        change=change,
        events=events,
        dialects=next((member.dialects for member in members if member.dialects), ()),
        misfit=misfit,
        calls_at_end=any(member.calls_at_end for member in members),
        consists_of=tuple(member.name for member in members),
    )
