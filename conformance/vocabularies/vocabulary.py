"""The interface of a vocabulary."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from conformance.contract.reading import Reading
from conformance.contract.traits import Traits
from conformance.contract.transcript import End
from conformance.dialects.short_text import as_json
from conformance.findings.values import SchemaError
from mockserver.foundation.call_arguments import Arguments
from mockserver.foundation.json_fields import text
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


class Vocabulary(Protocol):
    """The part types of a host: checks parts, reads them, and makes them.

    ``name`` is how descriptions of adapters call it. ``text``, ``thinking``, ``call``, ``citation``
    and ``data`` each make a part.
    """

    @property
    def name(self) -> str: ...

    @property
    def leading_parts(self) -> int:
        """How many parts come before the request is made; a cancellation counts those after."""

    @property
    def unsupported_traits(self) -> Mapping[str, frozenset[str]]:
        """For some traits, the values that an adapter with this vocabulary cannot declare."""

    def problem_of(self, part: Any) -> BadPart | None:
        """Why a part is not valid; None if it is."""

    def with_traits(self, traits: Traits) -> Vocabulary:
        """The vocabulary as used by an adapter with these traits."""

    def ended(
        self, parts: Sequence[Any], end: End | None, *, cancelled: bool = False
    ) -> End | None:
        """How the run ended, by its own report and by its parts; None if it has not ended."""

    def calls_not_run(self, parts: Sequence[Any]) -> tuple[CallNotRun, ...]:
        """The calls that no host can run, for which ``ended`` makes a completed run a failed one.

        The adapter itself has not reported a failure then.
        """

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        """The reading of parts and an ending; invalid parts are skipped."""

    def text(self, value: str) -> dict[str, Any]: ...

    def thinking(self, value: str) -> dict[str, Any]: ...

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]: ...

    def citation(self, citation: Citation) -> dict[str, Any]: ...

    def data(self, mime_type: str, data: str) -> dict[str, Any]: ...


def canonical_base64(data: str) -> str:
    """The canonical base64 of the same bytes; a value that is not base64 is returned unchanged."""
    try:
        return b64encode(b64decode(data, validate=True)).decode()
    except ValueError:
        return data
