"""Judges a recorded run again, by the current scenario and rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from conformance.contract.traits import Traits, parse_traits
from conformance.findings.words import finding_json
from conformance.report.recorded import JsonPlace
from conformance.rules.judge import judge_case
from conformance.suite.adapter_yaml import read_description
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from streamproof._commands.cases import case_of_id
from streamproof._commands.printing import has_must

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conformance.contract.adapter import Description
    from conformance.contract.transcript import Transcript
    from conformance.findings.finding import Finding
    from conformance.report.recorded import Run
    from mockserver.cases.case import Case


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged run; ``assumed`` means that its traits are defaults, since none were declared."""

    place: JsonPlace
    transcript: Transcript
    traits: Traits
    assumed: bool
    findings: list[Finding]
    case: Case

    @property
    def status(self) -> str:
        return "failed" if has_must(self.findings) else "passed"

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {
            "file": self.place.file,
            "line": self.place.line or None,
            "case": self.transcript.case,
            "adapter": self.transcript.adapter,
            "traits": asdict(self.traits),
            "status": self.status,
            "findings": [finding_json(finding) for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Judging:
    """What runs are judged by: the scenarios, and traits that override those in the files."""

    catalogue: Catalogue
    adapter: Description | None
    declared: Mapping[str, str]

    @classmethod
    def by(cls, adapter: Path | None, declared: Sequence[str], scenarios: Sequence[Path]) -> Self:
        """Make one from a command's options. Raises UserError or AdapterError."""
        traits = dict(map(_pair, declared))
        parse_traits(traits)
        described = read_description(adapter) if adapter else None
        return cls(Catalogue.shipped(*scenarios), described, traits)

    def judged(self, run: Run) -> Judged | None:
        """Judge a run; None if it has no transcript. Raises UserError or ScenarioError."""
        transcript = run.transcript
        if transcript is None:
            return None
        case = self._case(transcript, run.place)
        traits = self._traits(run, transcript)
        assumed = run.traits is None and self.adapter is None and not self.declared
        findings = judge_case(case, transcript, traits)
        return Judged(run.place, transcript, traits, assumed, findings, case)

    def _case(self, transcript: Transcript, place: JsonPlace) -> Case:
        try:
            case = case_of_id(transcript.case, self.catalogue)
        except UserError as error:
            (problem,) = error.problems
            hint = "; ".join(filter(None, (problem.hint, "--scenarios FOLDER adds one's own")))
            raise UserError(Problem(problem.message, place.inside("case"), hint)) from error
        for name, value in {"scenario": case.scenario.id, "dialect": case.dialect}.items():
            if (recorded := getattr(transcript, name)) != value:
                message = f"{recorded!r:.80} is not the {name} of the case {transcript.case!r}"
                raise UserError(Problem(message, place.inside(name)))
        for n, turn in enumerate(transcript.turns):
            if turn.turn >= len(case.scenario.turns) or (transcript.before and turn.turn != n):
                message = f"{turn.turn} is not the number of a turn that the case has here"
                raise UserError(Problem(message, place.inside("turn")))
        return case

    def _traits(self, run: Run, transcript: Transcript) -> Traits:
        vocabulary, place = transcript.vocabulary, run.place.inside("vocabulary")
        if vocabulary not in VOCABULARIES:
            hint = did_you_mean(vocabulary, VOCABULARIES)
            raise UserError(Problem(f"no vocabulary is called {vocabulary!r:.80}", place, hint))
        if self.adapter and self.adapter.vocabulary != vocabulary:
            message = f"{self.adapter.name} does not speak the vocabulary {vocabulary!r}"
            raise UserError(Problem(message, place, "name the adapter.yaml of the run's adapter"))
        traits = self.adapter.traits if self.adapter else run.traits or Traits()
        return parse_traits({**asdict(traits), **self.declared})


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        hint = "write --trait NAME=VALUE, such as --trait reasoning=text"
        raise UserError(Problem(f"{text[:80]!r} is no trait", hint=hint))
    return name, value
