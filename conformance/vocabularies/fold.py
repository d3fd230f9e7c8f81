"""Functions that all vocabularies use to fold parts into a reading."""

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
from conformance.findings.values import SchemaError
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
        return BadPart("not an object", ANYTHING, value=part)
    error = max(errors_of(validator(f"parts/{vocabulary}"), part), key=relevance, default=None)
    if error is None:
        return None
    return _problem(deepest(error), pieces_of(part))


def _problem(error: ValidationError, affects: frozenset[str]) -> BadPart:
    """What the error of a schema says is wrong with a part."""
    where = ".".join(map(str, error.absolute_path))
    value, wanted = cast("Any", error.instance), cast("Any", error.validator_value)
    match error.validator:
        case "required":
            return BadPart("missing field", affects, next(n for n in wanted if n not in value))
        case "minLength" if not value:
            return BadPart("empty field", affects, where)
        case "type" if where:
            types = (wanted,) if isinstance(wanted, str) else tuple(wanted)
            return BadPart("other type", affects, where, value, types)
        case "const" | "enum" if where == "type":
            return BadPart("unknown type", affects, where, value)
    says = error.message.replace(repr(value), compact(value))
    schema_error = SchemaError(error.json_path, str(error.validator), says)
    return BadPart("invalid", affects, where, value, error=schema_error)


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
