"""Plays a case until its verdict is certain: again, alone, if it was lost or ran out of time.

A run that is lost with a process that it shared is played again in a fresh process. A run that
exceeded a limit is played again with longer ones: other runs, or other programs on the machine, may
have made it slow. What the first try showed stays in the transcript.
"""

from dataclasses import replace

from conformance.contract.transcript import EarlierTry, Incident, Transcript
from conformance.rules.cancellation import released_at
from conformance.rules.judge import judge_case
from conformance.suite.play import play
from conformance.suite.session import Session
from mockserver.cases.case import Case

LONGER = 4
"""How many times longer the limit of a run is when it is played again."""

# Verdicts of a run that has done again, alone, what ended the process that it shared.
_REPEATED = ("crashed", "broke-protocol")

# Verdicts of a run that a limit of the kit ended.
_NOT_ENDED = ("timed-out", "hung")


def play_until_certain(session: Session, case: Case) -> Transcript:
    """The transcript of the try that counts, with the earlier tries and their incidents."""
    tries: list[EarlierTry] = []
    again_how: list[str] = []
    incidents: list[Incident] = []
    played = play(session, case)
    if played.verdict == "not-run":
        lost, played = played, play(session, case, "fresh")
        tries.append(EarlierTry(lost.verdict, lost.notes[0] if lost.notes else ""))
        again_how.append("alone, in a fresh process")
        repeated = played.verdict in _REPEATED
        incidents += session.incidents.to_answer_for(lost.incidents, repeated=repeated)
    if why := next(filter(None, (_why_late(session, turn) for turn in played.turns)), ""):
        longer = with_longer_limits(session)
        again = play(longer, case, "alone")
        if not _was_wrong_once(session, case, played, again):
            tries.append(EarlierTry(played.verdict, why))
            again_how.append(f"alone, with a limit of {longer.deadline_ms / 1000:g} s")
            incidents += played.incidents
            played = again
    told = (_told(each, how, played) for each, how in zip(tries, again_how, strict=True))
    notes = (*played.notes, *told)
    incidents += played.incidents
    return replace(played, tries=tuple(tries), incidents=tuple(incidents), notes=notes)


def _told(earlier: EarlierTry, how: str, played: Transcript) -> str:
    """An earlier try and what came of the one that counts, as a note."""
    result = "the same" if played.verdict == earlier.verdict else played.verdict
    return f"first try: {earlier.verdict}, {earlier.why}; tried again {how}: {result}"


def _was_wrong_once(session: Session, case: Case, late: Transcript, again: Transcript) -> bool:
    """Whether a late run that ended by itself broke a rule that it kept when played again.

    That is no matter of time: the first try counts.
    """
    if late.verdict in _NOT_ENDED:
        return False
    traits = session.description.traits
    first, second = (judge_case(case, each, traits) for each in (late, again))
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
                f"{session.patience:g} s"
            )
    if (cancelled := turn.cancelled) is not None:
        for request in turn.requests:
            released = released_at(request)
            if released is None or released - cancelled.at > session.release:
                return (
                    "it did not release its connection within "
                    f"{session.release:g} s of its cancellation"
                )
    return ""
