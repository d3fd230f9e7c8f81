"""The content that the parts of a run add up to, in one form for all vocabularies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract.transcript import ReportedError
from mockserver.foundation.call_arguments import round_to_doubles
from mockserver.foundation.call_arguments import same_json as same_json
from mockserver.scenario.script import Citation


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A tool call; ``after`` is the number of code points of answer text emitted before it."""

    id: str
    name: str
    input: Any
    after: int
    part: int


@dataclass(frozen=True, slots=True)
class ReadCitation:
    """A citation that was emitted as a separate part."""

    citation: Citation
    part: int


@dataclass(frozen=True, slots=True)
class ReadData:
    """A data part that is not a citation: bytes in base64, with a media type."""

    mime_type: str
    data: str
    part: int


@dataclass(frozen=True, slots=True)
class ReadError:
    """A failure that was emitted as a separate part."""

    error: ReportedError
    part: int


@dataclass(frozen=True, slots=True)
class Span:
    """The code points of the answer text that one part emitted, from ``start`` up to ``end``."""

    start: int
    end: int
    part: int


class JoinedText:
    """Text joined from pieces, with the range that each piece fills.

    A piece may end with the first half of a surrogate pair. Hosts with UTF-16 strings join the
    halves when they concatenate, so they are joined here as well.
    """

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        self._spans: list[Span] = []
        self._half = False

    def add(self, value: str, part: int) -> None:
        """Append a piece that was emitted by this part."""
        start = self.length
        joined = self._half and "\udc00" <= value[:1] <= "\udfff"
        self.length += len(value) - joined
        self._half = "\ud800" <= value[-1:] <= "\udbff" if value else self._half
        self._spans.append(Span(start, self.length, part))
        self._pieces.append(value)

    def __str__(self) -> str:
        joined = "".join(self._pieces)
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(self._spans)


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a run: deltas joined, calls in order, and how the run ended.

    ``spans`` gives the part that emitted each range of ``text``.
    """

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
        """The reading as the JSON value that compiled expectations validate."""
        return {
            "text": self.text,
            "thinking": self.thinking,
            "calls": [
                {"id": c.id, "name": c.name, "input": round_to_doubles(c.input), "after": c.after}
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
        """The number of the part that emitted the code point at an offset of the text."""
        return next((s.part for s in self.spans if s.start <= offset < s.end), None)
