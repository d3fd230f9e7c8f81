"""What the vocabularies share when they fold parts to a reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import relevance

from conformance.contract.reading import (
    JoinedText,
    ReadCall,
    ReadCitation,
    ReadData,
    ReadError,
    Reading,
)
from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies.vocabulary import ANYTHING, BadPart, canonical
from mockserver.contract import errors_of
from mockserver.dialects.json_fields import listed
from mockserver.scenario.model import Citation
from mockserver.shipped import schema

Spoils = Mapping[str, frozenset[str]]
"""By the type of a part: what it would have added to the reading, had it been valid."""


@dataclass(slots=True)
class Found:
    """What the parts amount to so far."""

    text: JoinedText = field(default_factory=JoinedText)
    thinking: list[str] = field(default_factory=list)
    calls: list[ReadCall] = field(default_factory=list)
    data: list[ReadData] = field(default_factory=list)
    citations: list[ReadCitation] = field(default_factory=list)

    def call(self, id_: str, name: str, input_: Any, part: int) -> None:
        """A call, after the text so far."""
        self.calls.append(ReadCall(id_, name, input_, self.text.length, part))

    def file(self, mime_type: str, base64: str, part: int) -> None:
        self.data.append(ReadData(mime_type, canonical(base64), part))

    def citation(self, citation: Citation, part: int) -> None:
        self.citations.append(ReadCitation(citation, part))

    def reading(self, end: End | None, errors: tuple[ReadError, ...] = ()) -> Reading:
        """All of it, with how the run ended."""
        return Reading(
            text=str(self.text),
            thinking="".join(self.thinking),
            calls=tuple(self.calls),
            data=tuple(self.data),
            citations=tuple(self.citations),
            outcome=end.outcome if end else None,
            finish=end.finish if end else None,
            usage=end.usage if end else None,
            error=asdict(end.error) if end and end.error else None,
            spans=self.text.spans,
            errors=errors,
        )


def bad_part(
    vocabulary: str, part: Any, spoilt: Callable[[Mapping[str, Any]], frozenset[str]]
) -> BadPart | None:
    """What is wrong with a part by the schema of its vocabulary, or None."""
    if not isinstance(part, dict):
        return BadPart(f"a part is an object, not {type(part).__name__}", ANYTHING)
    error = max(errors_of(_validator(vocabulary), part), key=relevance, default=None)
    if error is None:
        return None
    while error.context:
        error = max(error.context, key=relevance)
    where = ".".join(map(str, error.absolute_path))
    message = error.message[:200]
    return BadPart(f"{where}: {message}" if where else message, spoilt(part))


def spoilt_by_type(spoils: Spoils) -> Callable[[Mapping[str, Any]], frozenset[str]]:
    """What a part spoils, where its type alone says so; anything if the type is unknown."""
    return lambda part: spoils.get(str(part.get("type")), ANYTHING)


@cache
def _validator(vocabulary: str) -> Draft202012Validator:
    return Draft202012Validator(schema(f"parts/{vocabulary}"))


def settled(
    end: End,
    told: ReportedError | None,
    *,
    failed: bool,
    finish: str | None,
    usage: Mapping[str, Any] | None,
) -> End:
    """The run's own ending with what its parts say: the run's word counts where it has one."""
    return replace(
        end,
        outcome="failed" if failed and end.outcome == "completed" else end.outcome,
        finish=finish,
        usage=end.usage or usage,
        error=end.error or told,
    )


def counted(tokens: Mapping[str, Any]) -> dict[str, int] | None:
    """The tokens of each side that is a number; None where neither is."""
    return {side: count for side, count in tokens.items() if type(count) is int} or None


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; empty where the value is not a list."""
    return [each for each in listed(value) if isinstance(each, dict)]
