"""The interface between the machine of chat completions and its emitters, one for each vocabulary.

The machine reads the stream, an emitter creates the parts of one vocabulary. So there is one
machine for all vocabularies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.reasoning import ReasoningPiece
from conformance.dialects.client.fields import Event, Part


@dataclass(frozen=True, slots=True)
class ReleasedCall:
    """A complete call, with its arguments as text and parsed."""

    id: str
    name: str
    arguments: str
    input: Mapping[str, object]
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How the response ended: the upstream's reason for each choice, and the finish for drive/1."""

    reasons: Mapping[int, str]
    finish: str
    usage: Mapping[str, object] = field(default_factory=dict)
    failure: Mapping[str, object] = field(default_factory=dict)
    failed: tuple[int, ...] = ()  # the indexes of the choices that failed
    shown_as_text: bool = False  # the failure was emitted as text, as the trait `errors` asks


class Emitter(Protocol):
    """Creates the parts of one vocabulary for one response; a method may return no parts."""

    @property
    def all_choices(self) -> bool:
        """Whether the host distinguishes choices, so that parts of all choices are emitted."""

    def text(self, choice: int, value: str) -> list[Part]: ...

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]: ...

    def call_progress(
        self, choice: int, call_id: str, name: str, arguments: Arguments
    ) -> list[Part]:
        """Parts that announce a call, or show its arguments so far."""

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:
        """The parts of the calls that a finish completes."""

    def extras(self, data: Event) -> list[Part]:
        """Parts for the fields of a chunk that only Copilot sends."""

    def close(self, ending: Ending) -> list[Part]:
        """The last parts of a response."""

    def done(self, ending: Ending) -> dict[str, object]:
        """The `done` message, without the id of its run."""
