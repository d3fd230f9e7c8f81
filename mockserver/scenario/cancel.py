"""The ``cancel`` of a turn, as written, turned into a value and checked against its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.faults import did_you_mean
from mockserver.scenario.model import (
    Answer,
    Cancel,
    Checkpoint,
    Citation,
    Cite,
    Delta,
    Expect,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectPart,
    Says,
    Sends,
    Start,
)
from mockserver.scenario.steps import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.source import Path, Tree

MOST_CONTENT = 4096
"""Characters of content; each beginning of it is right, and the schema of that stays readable."""


def cancel(
    tree: Tree, path: Path, script: Says | Sends | Answer, expect: tuple[Expect, ...]
) -> Cancel | None:
    """When the turn at this path is cancelled, if it is. Raises ScenarioError."""
    written = tree.at(path).get("cancel")
    if written is None:
        return None
    found = Cancel(written.get("after_parts"), written.get("at", ""))
    checkpoints = {step.name for step in script.steps if isinstance(step, Checkpoint)}
    if found.at and found.at not in checkpoints:
        refuse(
            tree.place((*path, "cancel", "at")),
            f"the script has no checkpoint {found.at!r} to cancel at",
            did_you_mean(found.at, checkpoints),
        )
    if max(_contents(script, expect), default=0) > MOST_CONTENT:
        refuse(
            tree.place((*path, "cancel")),
            f"a turn that is cancelled has at most {MOST_CONTENT:,} characters of content",
        )
    return found


def _contents(script: Says | Sends | Answer, expect: tuple[Expect, ...]) -> Iterator[int]:
    """How much text, reasoning, refusal and links the script has, and each right account."""
    if isinstance(script, Says):
        starts = (step for step in script.steps if isinstance(step, Start))
        calls = {start.lane for start in starts if start.kind == "call"}
        deltas = (step for step in script.steps if isinstance(step, Delta))
        cites = (step for step in script.steps if isinstance(step, Cite))
        said = sum(len(delta.value) for delta in deltas if delta.lane not in calls)
        yield said + sum(_length(cite.citation) for cite in cites)
    for entry in expect:
        yield sum(map(_part_length, entry.parts))


def _part_length(part: ExpectPart) -> int:
    match part:
        case ExpectCall() | ExpectData():
            return 0
        case ExpectCite(citation):
            return _length(citation)
    return len(part.value)


def _length(citation: Citation) -> int:
    return sum(map(len, citation.fields().values()))
