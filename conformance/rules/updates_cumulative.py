"""updates-cumulative: an update has all of a call's arguments so far, and none is taken back.

Which updates there are is the adapter's affair: it may send one for each piece, or few, or none.
The call may be written otherwise than it grew, as whoever parses and prints it does.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.contract.reading import same_json
from conformance.vocabularies.announced_calls import Step, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    last: dict[tuple[int, str], str] = {}
    for step in steps(evidence.transcript.parts):
        if step.kind not in ("update", "call") or not step.id:
            continue
        before = last.get((step.choice, step.id), "")
        if not _goes_on(before, step):
            what = "update" if step.kind == "update" else "call itself"
            yield Defect(
                f"of the call {step.id!r} an update had the arguments {_clip(before)}, "
                f"and the next {what} has {_clip(step.text)}",
                right="all of the arguments so far in each update, and none of them taken back",
                about=topics(f"updates:{step.choice}:{step.id}"),
                # A call that is wrong in itself is a finding of its own.
                needs=topics(f"call:{step.id}", f"part:{step.part}"),
                event=evidence.event_of_call(step.id),
                part=step.part,
            )
        last[step.choice, step.id] = step.text


def _goes_on(before: str, step: Step) -> bool:
    if step.kind == "update" or _extends(step.text, before):
        return _extends(step.text, before)
    return _bare(step.text).startswith(_bare(before)) or _equal(step.text, before)


def _extends(text: str, before: str) -> bool:
    """Does a text begin so? Half a character is the beginning of a whole one."""
    if "\ud800" <= before[-1:] <= "\udbff":
        return _units(text).startswith(_units(before))
    return text.startswith(before)


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _bare(text: str) -> str:
    return "".join(text.split())


def _equal(a: str, b: str) -> bool:
    try:
        return same_json(json.loads(a), json.loads(b))
    except (ValueError, RecursionError):
        return False


def _clip(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


_SHOWN = 60

RULE = Rule(
    id="updates-cumulative",
    holds="an update of a call extends the one before it, and the call the last of them",
    source="copilot-annex § Sanitized SSE chunk trace",
    check=_check,
)
