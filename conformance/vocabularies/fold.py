"""Functions that all vocabularies use to fold parts into a reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from jsonschema.exceptions import ValidationError, relevance

from conformance.contract.reading import (
    JoinedText,
    ReadCall,
    ReadCitation,
    ReadData,
    ReadError,
    Reading,
)
from conformance.contract.transcript import End, ReportedError
from conformance.dialects.short_text import compact
from conformance.vocabularies.vocabulary import ANYTHING, BadPart, canonical_base64
from mockserver.foundation.json_fields import listed
from mockserver.foundation.schemas import deepest, errors_of, validator
from mockserver.scenario.script import Citation

PiecesByType = Mapping[str, frozenset[str]]
"""For each type of part, the pieces of the reading that a valid part of that type adds to."""


@dataclass(slots=True)
class ReadingBuilder:
    """Builds a reading part by part. The argument ``part`` is the number of the part."""

    text: JoinedText = field(default_factory=JoinedText)
    thinking: list[str] = field(default_factory=list)
    calls: list[ReadCall] = field(default_factory=list)
    data: list[ReadData] = field(default_factory=list)
    citations: list[ReadCitation] = field(default_factory=list)

    def add_call(self, id_: str, name: str, input_: Any, part: int) -> None:
        """Add a call at the end of the text so far."""
        self.calls.append(ReadCall(id_, name, input_, self.text.length, part))

    def add_data(self, mime_type: str, base64: str, part: int) -> None:
        self.data.append(ReadData(mime_type, canonical_base64(base64), part))

    def add_citation(self, citation: Citation, part: int) -> None:
        self.citations.append(ReadCitation(citation, part))

    def build(self, end: End | None, errors: tuple[ReadError, ...] = ()) -> Reading:
        """The reading, with how the run ended."""
        return Reading(
            text=str(self.text),
            thinking="".join(self.thinking),
            calls=tuple(self.calls),
            data=tuple(self.data),
            citations=tuple(self.citations),
            outcome=end.outcome if end else None,
            finish=end.finish if end else None,
            usage=end.usage if end else None,
            error=end.error.to_json() if end and end.error else None,
            spans=self.text.spans,
            errors=errors,
        )


def bad_part(
    vocabulary: str, part: Any, pieces_of: Callable[[Mapping[str, Any]], frozenset[str]]
) -> BadPart | None:
    """Why a part does not satisfy the schema of its vocabulary; None if it does.

    ``pieces_of`` returns the pieces of the reading that an invalid part may affect.
    """
    if not isinstance(part, dict):
        return BadPart(f", which is no object: {compact(part)}", ANYTHING)
    error = max(errors_of(validator(f"parts/{vocabulary}"), part), key=relevance, default=None)
    if error is None:
        return None
    return BadPart(_in_words(deepest(error)), pieces_of(part))


def _in_words(error: ValidationError) -> str:
    """A schema's error as the end of a sentence: what is wrong with the part that came out."""
    where = ".".join(map(str, error.absolute_path))
    value, wanted = compact(error.instance), cast("Any", error.validator_value)
    match error.validator:
        case "required":
            return f" without {next(n for n in wanted if n not in cast('Any', error.instance))}"
        case "minLength" if not error.instance:
            return f" with an empty {where}"
        case "type" if where:
            due = [_TYPES[each] for each in ([wanted] if isinstance(wanted, str) else wanted)]
            return f" with {where} {value}, not {' or '.join(due)}"
        case "const" | "enum" if where == "type":
            return f" of the unknown type {value}"
    said = error.message.replace(repr(error.instance), value)[:_MAX_SAID]
    return f" that is not valid: {f'{where}: ' if where else ''}{said}"


_MAX_SAID = 200
_TYPES = {
    "string": "a string",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}


def pieces_by_type(affects: PiecesByType) -> Callable[[Mapping[str, Any]], frozenset[str]]:
    """A function that returns the pieces that a part affects by its type; all if it is unknown."""
    return lambda part: affects.get(str(part.get("type")), ANYTHING)


def merge_end(
    end: End,
    reported: ReportedError | None,
    *,
    failed: bool,
    finish: str | None,
    usage: Mapping[str, Any] | None,
) -> End:
    """The ending that the run reported, completed by what its parts say.

    The run's own usage and error take precedence, and its outcome unless that is ``completed`` and
    the parts have ``failed``.
    """
    return replace(
        end,
        outcome="failed" if failed and end.outcome == "completed" else end.outcome,
        finish=finish,
        usage=end.usage or usage,
        error=end.error or reported,
    )


def token_counts(tokens: Mapping[str, Any]) -> dict[str, int] | None:
    """The tokens by side (``input``, ``output``) that are integers; None if there are none."""
    return {side: count for side, count in tokens.items() if type(count) is int} or None


def objects_in(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; empty where the value is not a list."""
    return [each for each in listed(value) if isinstance(each, dict)]
