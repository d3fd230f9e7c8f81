"""Plays captured scripts to the reference adapter of their dialect, and reads what it emits."""

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.contract.reading import Reading
from conformance.contract.transcript import Transcript
from conformance.findings.finding import Finding
from conformance.suite.play import play
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, reference_adapters, run, skip_reason
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.expected import Expect
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import Answer, Sends

# A long recording takes its time, and nobody else waits.
_DEADLINE_MS = 60_000


class Reference:
    """The reference adapter of a dialect, driven against a mock of its own."""

    def __init__(self, session: Session, dialect: str) -> None:
        self._session = session
        self._dialect = dialect

    def played(self, script: Sends | Answer) -> tuple[Transcript, Reading]:
        """The transcript of one turn by itself, and what the parts amount to.

        The ids of calls are those of the upstream.
        """
        turn = Turn(script, (Expect(()),))
        scenario = Scenario(
            "captured/turn", "captured", (self._dialect,), (turn,), conduct="violation"
        )
        transcript = play(self._session, Case(scenario, self._dialect))
        traits = self._session.description.traits
        vocabulary = VOCABULARIES[transcript.vocabulary].with_traits(traits)
        parts = [emitted.part for emitted in transcript.parts]
        return transcript, vocabulary.read(parts, transcript.end)

    @property
    def id_prefix(self) -> str:
        """What the adapter puts before the ids of calls."""
        return self._session.description.traits.call_id_prefix

    def findings(self, scenario: Scenario) -> tuple[Finding, ...]:
        """What the adapter breaks of a scenario; empty if the adapter cannot play it."""
        case = Case(scenario, self._dialect)
        if skip_reason(self._session.description, case):
            return ()
        return run(self._session, case).findings


@contextmanager
def open_reference(dialect: str) -> Iterator[Reference]:
    """The reference adapter of a dialect with the parts of a VS Code provider."""
    speaking = [each for each in reference_adapters() if dialect in each.dialects]
    described = next(each for each in speaking if each.vocabulary == "vscode")
    with Workbench(Catalogue.shipped(), deadline_ms=_DEADLINE_MS) as workbench:
        yield Reference(workbench.session(described), dialect)
