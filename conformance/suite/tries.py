"""Plays a case until its verdict is certain: again, alone, if it was lost or ran out of time.

A run that is lost with a process that it shared is played again in a fresh process. A run that
exceeded a limit is played again with longer ones: other runs, or other programs on the machine, may
have made it slow.

A run that hung, and ends when it is played again, is played three times more. If it hangs once
more, it hangs sometimes. So does one whose adapter did nothing at all while it hung, and that needs
less than half of the time at which it was given up: no load explains that. The try that hung is
then the one that counts, and what all of them showed stays in the transcript.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.contract.transcript import Incident, Transcript, Try
from conformance.rules.cancellation import released_at
from conformance.rules.judge import judge_case
from conformance.suite.play import play
from conformance.suite.session import MOST_TRIED_OFTEN, Session
from mockserver.cases.case import Case

LONGER = 4
"""How many times longer the limit of a run is when it is played again."""

MORE_TRIES = 3
"""How often a run that hung once is played after it has ended."""

# Verdicts of a run that has done again, alone, what ended the process that it shared.
_REPEATED = ("crashed", "broke-protocol")

# Verdicts of a run that a limit of the kit ended.
_NOT_ENDED = ("timed-out", "hung")

_ENDED = ("completed", "failed", "cancelled")

_NOT_ALLOWED = f"not played more often, as {MOST_TRIED_OFTEN} cases that hung have been"


@dataclass(frozen=True, slots=True)
class _Played:
    """A try: its transcript, how it was played, and why it is not certain."""

    transcript: Transcript
    how: str = ""
    why: str = ""

    def as_try(self) -> Try:
        """What the transcript that counts keeps of it."""
        return Try(self.transcript.verdict, self.why, self.transcript.busy)

    def __str__(self) -> str:
        return f"{self.transcript.verdict}{', ' if self.why else ''}{self.why}"


def play_until_certain(session: Session, case: Case) -> Transcript:
    """The transcript of the try that counts, with all tries and their incidents."""
    first = play(session, case)
    tries = [_Played(first, "", _why_late(session, first))]
    incidents: list[Incident] = []
    if first.verdict == "not-run":
        lost = first.notes[0] if first.notes else ""
        fresh = play(session, case, "fresh")
        how = "alone, in a fresh process"
        tries = [_Played(first, "", lost), _Played(fresh, how, _why_late(session, fresh))]
        repeated = fresh.verdict in _REPEATED
        incidents += session.incidents.to_answer_for(first.incidents, repeated=repeated)
    if tries[-1].why:
        tries += _try_longer(session, case, tries[-1])
    counts = _that_counts(session, tries)
    for each in tries[1 if first.verdict == "not-run" else 0 :]:
        incidents += each.transcript.incidents
    if len(tries) == 1:
        return counts
    return replace(
        counts,
        tries=tuple(each.as_try() for each in tries),
        incidents=tuple(incidents),
        notes=(*counts.notes, *_tell(tries, counts)),
    )


def _try_longer(session: Session, case: Case, late: _Played) -> Iterator[_Played]:
    """Further tries of a run that was late, with longer limits; none if it was wrong besides."""
    longer = with_longer_limits(session)
    how = f"alone, with a limit of {longer.deadline_ms / 1000:g} s"

    def again() -> _Played:
        transcript = play(longer, case, "alone")
        return _Played(transcript, how, _why_late(longer, transcript))

    second = again()
    if _was_wrong_once(session, case, late.transcript, second.transcript):
        return
    if late.transcript.verdict not in _NOT_ENDED or second.transcript.verdict not in _ENDED:
        yield second
        return
    is_allowed = session.often.take()
    yield second if is_allowed else replace(second, why=_NOT_ALLOWED)
    for _ in range(MORE_TRIES if is_allowed else 0):
        yield (further := again())
        if further.transcript.verdict in _NOT_ENDED:
            return


def _that_counts(session: Session, tries: list[_Played]) -> Transcript:
    """The last try, or a try before it that hung although the adapter had nothing to do."""
    played = [each.transcript for each in tries]
    ended = [each for each in played if each.verdict in _ENDED]
    if played[-1] in ended and all(_is_fast(session, each) for each in ended):
        return next((each for each in played if each.was_idle), played[-1])
    return played[-1]


def _is_fast(session: Session, transcript: Transcript) -> bool:
    """Whether every turn needed less than half of the limit of the first try."""
    return all(_own_seconds(turn) < session.deadline_ms / 2000 for turn in transcript.turns)


def _own_seconds(turn: Transcript) -> float:
    """How long a turn took, without the time in which the upstream was sending."""
    sending = sum(asked.events[-1].at - asked.at for asked in turn.requests if asked.events)
    return turn.end.at - sending if turn.end else math.inf


def _tell(tries: list[_Played], counts: Transcript) -> Iterator[str]:
    """The other tries as notes, and whether more were to be made."""
    for number, each in enumerate(tries, 1):
        if each.transcript is not counts:
            yield f"try {number} of {len(tries)}{', ' if each.how else ''}{each.how}: {each}"


def _was_wrong_once(session: Session, case: Case, late: Transcript, again: Transcript) -> bool:
    """Whether a late run that ended by itself broke a rule that it kept when played again.

    That is no matter of time: the first try counts.
    """
    if late.verdict in _NOT_ENDED:
        return False
    adapter = session.description
    first, second = (
        judge_case(case, each, adapter.traits, adapter.claims) for each in (late, again)
    )
    return any(f.level == "must" for f in first) and all(f.level != "must" for f in second)


def with_longer_limits(session: Session) -> Session:
    """The session with longer limits: those of a run, of a checkpoint, and of a release."""
    needed = session.pace.seconds
    return replace(
        session,
        deadline_ms=LONGER * session.deadline_ms,
        patience=session.patience + needed,
        release=session.release + needed,
    )


def _why_late(session: Session, turn: Transcript) -> str:
    """Which limit a turn exceeded, in words; empty if it exceeded none."""
    if turn.verdict in _NOT_ENDED:
        return f"it did not end within {session.deadline_ms / 1000:g} s"
    for checkpoint in turn.checkpoints:
        if not checkpoint.reached and checkpoint.waited >= session.patience:
            return (
                f"the text before the checkpoint {checkpoint.name!r} did not come out within "
                f"{session.patience:.3g} s"
            )
    if (cancelled := turn.cancelled) is not None:
        for request in turn.requests:
            released = released_at(request)
            if released is None or released - cancelled.at > session.release:
                return (
                    "it did not release its connection within "
                    f"{session.release:.3g} s of its cancellation"
                )
    return ""
