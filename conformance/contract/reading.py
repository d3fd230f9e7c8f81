"""What the parts of a run amount to, in neutral form, whatever the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.call_arguments import doubles
from mockserver.call_arguments import same_json as same_json

if TYPE_CHECKING:
    from conformance.contract.transcript import Told
    from mockserver.scenario.model import Citation


@dataclass(frozen=True, slots=True)
class ReadCall:
    """One tool call; ``after`` counts the code points of answer text emitted before it."""

    id: str
    name: str
    input: Any
    after: int
    part: int


@dataclass(frozen=True, slots=True)
class ReadCitation:
    """A citation that came as a part of its own."""

    citation: Citation
    part: int


@dataclass(frozen=True, slots=True)
class ReadData:
    """Bytes in base64 under a media type; citations are not among them."""

    mime_type: str
    data: str
    part: int


@dataclass(frozen=True, slots=True)
class ReadError:
    """A failure that came as a part of its own."""

    told: Told
    part: int


@dataclass(frozen=True, slots=True)
class Span:
    """The place in the answer text that one part filled."""

    start: int
    end: int
    part: int


class Text:
    """Pieces of text put together, and the place that each of them fills.

    A piece may end in the middle of a character, with the first half of a surrogate pair: hosts
    whose strings are UTF-16 join the halves without knowing it, so they are joined here.
    """

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        self._spans: list[Span] = []
        self._half = False

    def add(self, value: str, part: int) -> None:
        """The next piece, of this part."""
        start = self.length
        joined = self._half and "\udc00" <= value[:1] <= "\udfff"
        self.length += len(value) - joined
        self._half = "\ud800" <= value[-1:] <= "\udbff" if value else self._half
        self._spans.append(Span(start, self.length, part))
        self._pieces.append(value)

    def __str__(self) -> str:
        whole = "".join(self._pieces)
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(self._spans)


@dataclass(frozen=True, slots=True)
class Reading:
    """Deltas joined, calls in order, and the ending; ``spans`` leads back to the parts."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ReadCall, ...] = ()
    data: tuple[ReadData, ...] = ()
    citations: tuple[ReadCitation, ...] = ()
    refusal: str = ""
    outcome: str | None = None
    finish: str | None = None
    usage: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    spans: tuple[Span, ...] = ()
    errors: tuple[ReadError, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The reading as the compiled expectations judge it."""
        return {
            "text": self.text,
            "thinking": self.thinking,
            "calls": [
                {"id": c.id, "name": c.name, "input": doubles(c.input), "after": c.after}
                for c in self.calls
            ],
            "data": [{"mimeType": each.mime_type, "data": each.data} for each in self.data],
            "citations": [each.citation.fields() for each in self.citations],
            "refusal": self.refusal,
            "outcome": self.outcome,
            "finish": self.finish,
            "usage": self.usage,
            "error": self.error,
        }

    def part_at(self, offset: int) -> int | None:
        """The part that emitted the character at this offset of the text."""
        return next((s.part for s in self.spans if s.start <= offset < s.end), None)
