"""Parses the ``cancel`` of a turn, and checks it against the script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.foundation.faults import did_you_mean
from mockserver.scenario.expected import Expect, ExpectCall, ExpectCite, ExpectData, ExpectPart
from mockserver.scenario.model import Cancel
from mockserver.scenario.script import Answer, Checkpoint, Citation, Cite, Delta, Says, Sends, Start
from mockserver.scenario.steps import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.source import Path, Tree

MAX_CONTENT = 4096
"""The maximum number of characters of content in a turn that is cancelled.

Every prefix of the content is a correct result, and the schema of these must stay small.
"""


def cancel(
    tree: Tree, path: Path, script: Says | Sends | Answer, expect: tuple[Expect, ...]
) -> Cancel | None:
    """Parse when the turn at this path is cancelled, if it is. Raises ScenarioError."""
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
    if max(_contents(script, expect), default=0) > MAX_CONTENT:
        refuse(
            tree.place((*path, "cancel")),
            f"a turn that is cancelled has at most {MAX_CONTENT:,} characters of content",
        )
    return found


def _contents(script: Says | Sends | Answer, expect: tuple[Expect, ...]) -> Iterator[int]:
    """The number of characters of content in the script, and in each of its expectations."""
    if isinstance(script, Says):
        starts = (step for step in script.steps if isinstance(step, Start))
        calls = {start.block for start in starts if start.kind == "call"}
        deltas = (step for step in script.steps if isinstance(step, Delta))
        cites = (step for step in script.steps if isinstance(step, Cite))
        said = sum(len(delta.value) for delta in deltas if delta.block not in calls)
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
