"""The part types that adapters emit, by name.

A vocabulary is added by writing a module beside these and naming it in ``VOCABULARIES``.
"""

from typing import Any

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


__all__ = [
    "COPILOT",
    "FULLSTREAM",
    "STREAM",
    "VOCABULARIES",
    "VSCODE",
    "CallNotRun",
    "Vocabulary",
    "vocabulary_named",
]
