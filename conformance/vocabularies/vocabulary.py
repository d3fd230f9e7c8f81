"""What the kit asks of a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.reading import Reading
from conformance.transcript import End
from mockserver.scenario.model import Citation


@dataclass(frozen=True, slots=True)
class BadPart:
    """Why a part is not of the vocabulary, and which piece of the reading it may have spoilt."""

    why: str
    spoils: frozenset[str]


class Vocabulary(Protocol):
    """The part types of one host."""

    @property
    def name(self) -> str: ...

    @property
    def has_finish(self) -> bool:
        """Do its own parts say how the model finished?"""

    @property
    def impossible(self) -> Mapping[str, frozenset[str]]:
        """Values of traits that this vocabulary has no part for."""

    def bad(self, part: Any) -> BadPart | None:
        """What is wrong with a part, or None."""

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        """What parts and an ending amount to; parts that are none are passed over."""

    def text(self, value: str) -> dict[str, Any]: ...

    def thinking(self, value: str) -> dict[str, Any]: ...

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]: ...

    def citation(self, citation: Citation) -> dict[str, Any]: ...

    def data(self, mime_type: str, data: str) -> dict[str, Any]: ...
