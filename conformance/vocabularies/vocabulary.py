"""What the kit asks of a vocabulary."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from conformance.contract.reading import Reading
from conformance.contract.transcript import End
from mockserver.scenario.model import Citation

if TYPE_CHECKING:
    from conformance.contract.traits import Traits

ANYTHING = frozenset({"text", "thinking", "calls", "data", "citations"})
"""What a part that is of no known type may have spoilt."""


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
    def impossible(self) -> Mapping[str, frozenset[str]]:
        """Values of traits that this vocabulary has no part for."""

    def bad(self, part: Any) -> BadPart | None:
        """What is wrong with a part, or None."""

    def under(self, traits: Traits) -> Vocabulary:
        """The vocabulary as an adapter with these traits means it."""

    def ended(
        self, parts: Sequence[Any], end: End | None, *, cancelled: bool = False
    ) -> End | None:
        """How the run ended, as far as its parts say so too."""

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        """What parts and an ending amount to; parts that are none are passed over."""

    def text(self, value: str) -> dict[str, Any]: ...

    def thinking(self, value: str) -> dict[str, Any]: ...

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]: ...

    def citation(self, citation: Citation) -> dict[str, Any]: ...

    def data(self, mime_type: str, data: str) -> dict[str, Any]: ...


def canonical(data: str) -> str:
    """The one way to write these bytes in base64; a value that is not base64 is kept."""
    try:
        return b64encode(b64decode(data, validate=True)).decode()
    except ValueError:
        return data
