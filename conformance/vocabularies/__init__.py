"""The part types that adapters emit, by name.

A vocabulary is added by writing a module beside these and naming it in ``VOCABULARIES``.
"""

from conformance.vocabularies.vocabulary import Vocabulary
from conformance.vocabularies.vscode import VSCODE

VOCABULARIES: dict[str, Vocabulary] = {vocabulary.name: vocabulary for vocabulary in (VSCODE,)}

__all__ = ["VOCABULARIES", "VSCODE", "Vocabulary"]
