"""Writes the YAML of a scenario that was made of a capture, with what a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from conformance.findings.words import message_of
from mockserver.foundation.visible import visible
from streamproof._captures.script import in_yaml
from streamproof._captures.yaml_text import WIDTH, entry, item, scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conformance.findings.finding import Finding
    from mockserver.scenario.script import SendStep

_MAX_MESSAGE = 300

TITLE = "TODO: the situation, as a sentence without a full stop"
SEEN = "TODO: where it was seen, such as owner/repository#1"


@dataclass(frozen=True, slots=True)
class AttemptText:
    """One answer: the steps of a stream, or the fields of a plain answer.

    ``findings`` are about the captured events, of which each step but a last ``close`` is one.
    """

    steps: Sequence[SendStep] = ()
    plain: Mapping[str, Any] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    expect: Mapping[str, Any] = field(default_factory=dict)
    todo: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TurnText:
    """The attempts at one request, and what the host adds."""

    attempts: Sequence[AttemptText]
    then: Mapping[str, Any] = field(default_factory=dict)
    todo: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ScenarioText:
    """All values of a scenario file, and notes for a person.

    ``notes`` stand at its top, ``why`` above its conduct and its profile.
    """

    dialect: str
    conduct: str
    turns: Sequence[TurnText]
    notes: Sequence[str] = ()
    why: str = ""
    generation: str = ""
    shared: Mapping[str, Any] = field(default_factory=dict)
    vary: Sequence[str] = ()
    host: Mapping[str, Any] = field(default_factory=dict)
    host_todo: Sequence[str] = ()
    profile: str = ""

    def __str__(self) -> str:
        """The text of the file."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        for note in self.notes:
            yield from _comment(note, "")
        yield f"title: {scalar(TITLE)}"
        yield f"seen: [{scalar(SEEN)}]"
        yield f"dialects: [{self.dialect}]"
        if self.generation:
            yield f"generation: {self.generation}"
        yield from entry("chunks:", self.shared, 2) if self.shared else ()
        yield from _comment(self.why, "")
        if self.profile:
            yield f"profile: {self.profile}"
        if not self.profile or self.conduct != "legal":
            yield f"conduct: {self.conduct}"
        if self.vary:
            yield f"vary: [{', '.join(map(scalar, self.vary))}]"
        yield from _todo(self.host_todo, "")
        yield from entry("host:", self.host, 2) if self.host else ()
        yield "turns:"
        for turn in self.turns:
            yield from _turn(turn)


def _turn(turn: TurnText) -> Iterator[str]:
    margin = "    "
    if len(turn.attempts) == 1:
        yield from _attempt(turn.attempts[0], "  - ", margin)
    else:
        yield "  - attempts:"
        for attempt in turn.attempts:
            yield from _attempt(attempt, "      - ", "        ")
    if turn.then:
        yield from _todo(turn.todo, margin)
        yield from entry(f"{margin}then:", turn.then, len(margin) + 2)


def _attempt(attempt: AttemptText, head: str, margin: str) -> Iterator[str]:
    if attempt.steps:
        yield f"{head}sends:"
        yield from _steps(attempt, f"{margin}  ")
    else:
        for n, (key, value) in enumerate(attempt.plain.items()):
            yield from entry(f"{margin if n else head}{key}:", value, len(margin) + 2)
    yield from _todo(attempt.todo, margin)
    yield from entry(f"{margin}expect:", attempt.expect, len(margin) + 2)


def _steps(attempt: AttemptText, margin: str) -> Iterator[str]:
    for finding in attempt.findings:
        if finding.event is None:
            yield from _finding(finding, margin)
    for n, step in enumerate(attempt.steps):
        for finding in attempt.findings:
            if finding.event == n:
                yield from _finding(finding, margin)
        yield from item(in_yaml(step), len(margin))
    late = [f for f in attempt.findings if f.event is not None and f.event >= len(attempt.steps)]
    for finding in late:
        yield from _finding(finding, margin)


def _finding(finding: Finding, margin: str) -> Iterator[str]:
    said = message_of(finding)
    said = said if len(said) <= _MAX_MESSAGE else said[:_MAX_MESSAGE] + "…"
    yield from _comment(f"✗ {finding.rule} ({finding.level}): {said}", margin)


def _todo(texts: Iterable[str], margin: str) -> Iterator[str]:
    for text in texts:
        yield from _comment(f"TODO: {text}", margin)


def _comment(text: str, margin: str) -> Iterator[str]:
    lines = wrap(visible(text), WIDTH - len(margin) - 2, break_long_words=True)
    yield from (f"{margin}# {line}" for line in lines)
