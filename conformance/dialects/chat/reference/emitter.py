"""What a machine of chat completions speaks with: a vocabulary, one thing said at a time.

The machine knows what the upstream said, a voice knows how its host wants to be told. So each is
written once for all of the other kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.reasoning import Thought
from conformance.dialects.client.fields import Event, Part


@dataclass(frozen=True, slots=True)
class Made:
    """A call that the upstream has finished: whole arguments, as text and parsed."""

    id: str
    name: str
    arguments: str
    input: Mapping[str, object]
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """How the response ended: the upstream's own words for each choice, and ours for all of it."""

    reasons: Mapping[int, str]
    finish: str
    usage: Mapping[str, object] = field(default_factory=dict)
    failure: Mapping[str, object] = field(default_factory=dict)
    failed: tuple[int, ...] = ()  # the choices that the failure is of
    told: bool = False  # it was told in the text, as the adapter's traits have it


class Voice(Protocol):
    """One vocabulary, for one response. What a host does not hear of is no part."""

    @property
    def hears_all(self) -> bool:
        """Does the host tell choices apart itself, so that each is passed on?"""

    def text(self, choice: int, value: str) -> list[Part]: ...

    def thinking(self, choice: int, thought: Thought) -> list[Part]: ...

    def grown(self, choice: int, call_id: str, name: str, arguments: Arguments) -> list[Part]:
        """A call was announced, or these are its arguments so far."""

    def calls(self, choice: int, made: list[Made]) -> list[Part]:
        """The calls that a finish released."""

    def extras(self, data: Event) -> list[Part]:
        """What a chunk has that only Copilot knows."""

    def close(self, ending: Close) -> list[Part]:
        """The last parts of a response."""

    def done(self, ending: Close) -> dict[str, object]:
        """The `done` message, without the id of its run."""
