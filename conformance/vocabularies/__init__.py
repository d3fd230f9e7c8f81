"""The part types that adapters emit, by name.

A vocabulary is added by writing a module beside these and naming it in ``VOCABULARIES``.
"""

from conformance.transcript import End, Transcript
from conformance.vocabularies.stream import STREAM
from conformance.vocabularies.vocabulary import Vocabulary
from conformance.vocabularies.vscode import VSCODE

VOCABULARIES: dict[str, Vocabulary] = {words.name: words for words in (VSCODE, STREAM)}


def ended(transcript: Transcript) -> End | None:
    """How a run ended; where its vocabulary has parts that say so, they count."""
    parts = [emitted.part for emitted in transcript.parts]
    return VOCABULARIES[transcript.vocabulary].ended(parts, transcript.end)


__all__ = ["STREAM", "VOCABULARIES", "VSCODE", "Vocabulary", "ended"]
