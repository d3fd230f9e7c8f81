"""What all vocabularies share: their interface, how parts are checked, and how they are folded."""

from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, cast

from jsonschema.exceptions import ValidationError, relevance

from conformance.contract.reading import (
    JoinedText,
    ReadCall,
    ReadCitation,
    ReadData,
    ReadError,
    Reading,
)
from conformance.contract.traits import Traits
from conformance.contract.transcript import End, ReportedError
from conformance.dialects.short_text import as_json, compact
from conformance.findings.values import SchemaError
from mockserver.foundation.call_arguments import Arguments
from mockserver.foundation.json_fields import listed, text
from mockserver.foundation.schemas import deepest, errors_of, validator
from mockserver.scenario.script import Citation

ANYTHING = frozenset({"text", "thinking", "calls", "data", "citations"})
"""The pieces of the reading that a part of unknown type may affect."""

NO_OBJECT_INPUT = "the input of a call is no JSON object"
NO_OBJECT_ARGUMENTS = "the arguments of a call are no JSON object"
"""The failures that hosts report if they cannot parse a call."""


@dataclass(frozen=True, slots=True)
class BadPart:
    """Why a part is not valid in a vocabulary, and which pieces of the reading it may affect.

    ``field`` is missing, or has the ``value``, for which one of the JSON ``types`` is right. The
    ``error`` of the schema is there if nothing simpler can be said.
    """

    problem: Literal[
        "not an object",
        "tool result",
        "missing field",
        "empty field",
        "other type",
        "unknown type",
        "invalid",
    ]
    affects: frozenset[str]
    field: str = ""
    value: Any = None
    types: tuple[str, ...] = ()
    error: SchemaError | None = None


@dataclass(frozen=True, slots=True)
class CallNotRun:
    """An emitted call that no host can run, and why: its arguments, or a mark with a reason."""

    id: str
    why: Literal["not JSON", "not an object", "marked as invalid"]
    part: int
    arguments: str = ""
    reason: str = ""


def call_not_run(id_: object, arguments: Arguments, part: int) -> CallNotRun:
    """The call with these arguments, which are not the JSON object that its tool needs."""
    value = arguments.value
    shown = value if isinstance(value, str) else as_json(value)
    why: Literal["not JSON", "not an object"] = (
        "not JSON" if arguments.kind == "not JSON" else "not an object"
    )
    return CallNotRun(text(id_), why, part, arguments=shown)


@dataclass(frozen=True, slots=True)
class Vocabulary(ABC):
    """The part types of a host: checks parts, reads them, and makes them.

    ``name`` is how descriptions of adapters call it. ``pieces`` are the pieces of the reading that
    a valid part of each type adds to. ``unsupported_traits`` are, for some traits, the values that
    an adapter with this vocabulary cannot declare. ``leading_parts`` come before the request is
    made; a cancellation counts those after. ``has_choices`` says that parts have the index of their
    choice, ``runs_every_call`` that the host takes each call for a complete one. ``traits`` are
    those of the adapter. ``text``, ``thinking``, ``call``, ``citation`` and ``data`` each make a
    part.
    """

    name: str
    pieces: Mapping[str, frozenset[str]]
    unsupported_traits: Mapping[str, frozenset[str]]
    leading_parts: int = 0
    has_choices: bool = False
    runs_every_call: bool = False
    traits: Traits = field(default_factory=Traits)

    def with_traits(self, traits: Traits) -> Self:
        """The vocabulary as used by an adapter with these traits."""
        return replace(self, traits=traits)

    def problem_of(self, part: Any) -> BadPart | None:
        """Why a part does not satisfy the schema of the vocabulary; None if it does."""
        if not isinstance(part, dict):
            return BadPart("not an object", ANYTHING, value=part)
        error = max(errors_of(validator(f"parts/{self.name}"), part), key=relevance, default=None)
        return None if error is None else _problem(deepest(error), self.pieces_of(part))

    def pieces_of(self, part: Mapping[str, Any]) -> frozenset[str]:
        """The pieces of the reading that an invalid part may affect; all if its type is unknown."""
        return self.pieces.get(str(part.get("type")), ANYTHING)

    def ended(
        self, parts: Sequence[Any], end: End | None, *, cancelled: bool = False
    ) -> End | None:
        """How the run ended, by its own report and by its parts; None if it has not ended."""
        return None if end is None else self.fold_end(parts, end, cancelled)

    def fold_end(self, parts: Sequence[Any], end: End, cancelled: bool) -> End:  # noqa: ARG002
        """The ending that the run reported, with what the parts say of it."""
        return end

    def calls_not_run(self, parts: Sequence[Any]) -> tuple[CallNotRun, ...]:  # noqa: ARG002
        """The calls that no host can run, for which ``ended`` makes a completed run a failed one.

        The adapter itself has not reported a failure then.
        """
        return ()

    @abstractmethod
    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        """The reading of parts and an ending; invalid parts are skipped."""

    @abstractmethod
    def text(self, value: str) -> dict[str, Any]: ...

    @abstractmethod
    def thinking(self, value: str) -> dict[str, Any]: ...

    @abstractmethod
    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]: ...

    @abstractmethod
    def citation(self, citation: Citation) -> dict[str, Any]: ...

    @abstractmethod
    def data(self, mime_type: str, data: str) -> dict[str, Any]: ...


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


def canonical_base64(data: str) -> str:
    """The canonical base64 of the same bytes; a value that is not base64 is returned unchanged."""
    try:
        return b64encode(b64decode(data, validate=True)).decode()
    except ValueError:
        return data


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
