"""The part types that adapters emit, by name.

A vocabulary is added by writing a module beside these and naming it in ``VOCABULARIES``.
"""

from conformance.vocabularies.stream import STREAM
from conformance.vocabularies.vocabulary import Vocabulary
from conformance.vocabularies.vscode import VSCODE

VOCABULARIES: dict[str, Vocabulary] = {words.name: words for words in (VSCODE, STREAM)}

__all__ = ["STREAM", "VOCABULARIES", "VSCODE", "Vocabulary"]
