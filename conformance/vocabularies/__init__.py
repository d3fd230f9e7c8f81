"""The part types that adapters emit, by name.

A vocabulary is added by writing a module beside these and naming it in ``VOCABULARIES``.
"""

from dataclasses import replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Transcript
from conformance.vocabularies.copilot import COPILOT
from conformance.vocabularies.fullstream import FULLSTREAM
from conformance.vocabularies.stream import STREAM
from conformance.vocabularies.vocabulary import CallNotRun, Vocabulary
from conformance.vocabularies.vscode import VSCODE
from mockserver.foundation.faults import Problem, UserError, did_you_mean

VOCABULARIES: dict[str, Vocabulary] = {
    words.name: words for words in (VSCODE, STREAM, FULLSTREAM, COPILOT)
}


def vocabulary_named(name: Any) -> Vocabulary:
    """The vocabulary of a name from outside. Raises UserError if there is none."""
    if isinstance(name, str) and name in VOCABULARIES:
        return VOCABULARIES[name]
    hint = did_you_mean(str(name), VOCABULARIES)
    raise UserError(Problem(f"no vocabulary is called {name!r:.80}", hint=hint))


def ended(transcript: Transcript, traits: Traits) -> End | None:
    """How a run ended, by its own report and by the parts of its vocabulary that report an end."""
    parts = [emitted.part for emitted in transcript.parts]
    words = VOCABULARIES[transcript.vocabulary].with_traits(traits)
    return words.ended(parts, transcript.end, cancelled=transcript.cancelled is not None)


def reported_end(transcript: Transcript, traits: Traits) -> End | None:
    """How the adapter itself said that a run ended; None if it did not.

    ``ended`` takes a call that no host can run for a failure. Here such calls are left out.
    """
    words = VOCABULARIES[transcript.vocabulary].with_traits(traits)
    parts = [emitted.part for emitted in transcript.parts]
    not_run = {call.part for call in words.calls_not_run(parts)}
    own = tuple(emitted for n, emitted in enumerate(transcript.parts) if n not in not_run)
    return ended(replace(transcript, parts=own), traits)


__all__ = [
    "COPILOT",
    "FULLSTREAM",
    "STREAM",
    "VOCABULARIES",
    "VSCODE",
    "CallNotRun",
    "Vocabulary",
    "ended",
    "reported_end",
    "vocabulary_named",
]
