"""The parts of `stream` and `fullstream` under one set of names, for the rules on framing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract.transcript import Emitted, Transcript
from conformance.vocabularies.fullstream import FULLSTREAM, provider_part
from mockserver.foundation.json_fields import text

_EFFECT_NAMES = {
    "tool-params-start": "tool-input-start",
    "tool-params-delta": "tool-input-delta",
    "tool-params-end": "tool-input-end",
}
_OF_CALLS = frozenset({"tool-call", "tool-result", "tool-approval-request"})


@dataclass(frozen=True, slots=True)
class StreamPart:
    """One part: its number, its type, the id of its block or call, and the name of its tool.

    An id that is not a text is None, and a missing name is empty. ``written`` is the type as
    emitted. ``step`` counts the steps that have started; a part of a provider is in none.
    """

    n: int
    type: str
    id: str | None
    name: str
    written: str
    fields: Mapping[str, Any]
    step: int = 0

    @property
    def provider_executed(self) -> bool:
        return self.fields.get("providerExecuted") is True

    @property
    def is_preliminary(self) -> bool:
        return self.fields.get("preliminary") is True

    @property
    def delta(self) -> str:
        return text(self.fields.get("delta"))

    @property
    def approval_id(self) -> str:
        return text(self.fields.get("approvalId"))


def stream_parts(emitted: Iterable[Emitted], vocabulary: str = "stream") -> Iterator[StreamPart]:
    """The parts that are objects with a type, as the AI SDK's providers name them."""
    form = provider_part if vocabulary == FULLSTREAM.name else lambda part: part
    step = 0
    for each in emitted:
        part = form(each.part)
        if isinstance(part, Mapping) and (given := text(part.get("type"))):
            type_ = _EFFECT_NAMES.get(given, given)
            id_ = part.get("toolCallId", part.get("id")) if type_ in _OF_CALLS else part.get("id")
            name = part.get("toolName", part.get("name"))
            id_ = id_ if isinstance(id_, str) else None
            step += type_ == "start-step"
            yield StreamPart(each.n, type_, id_, text(name), each.part["type"], part, step)


def parts_of_type(transcripts: Iterable[Transcript], type_: str) -> Iterator[StreamPart]:
    """The parts of one type that were emitted in several turns."""
    for each in transcripts:
        parts = stream_parts(each.parts, each.vocabulary)
        yield from (part for part in parts if part.type == type_)
