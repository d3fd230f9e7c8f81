"""What a layer of the AI SDK calls things: the seam between a neutral script and its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mockserver.scenario.model import Send

if TYPE_CHECKING:
    from mockserver.dialects.vercel.field_names import FieldNames
    from mockserver.scenario.model import Citation, Usage

_NO_INPUT = "InvalidToolInputError: the input of the call is no JSON object"


@dataclass(frozen=True, slots=True)
class Call:
    """A call; ``arguments`` as the model wrote them, and ``input`` where they are an object."""

    id: str
    name: str
    arguments: str = ""
    input: Any = None


@dataclass(frozen=True, slots=True)
class End:
    """Why the model stopped, in the SDK's word and in the upstream's own, and what it used.

    Without ``usage``, nobody tells what it used: the object is there, and what it counts is not.
    """

    reason: str
    raw: str
    usage: Usage | None


class Layer(Protocol):
    """One of the three layers."""

    @property
    def names(self) -> FieldNames:
        """What it calls the fields of its parts."""

    def begins(self) -> Iterator[Send]: ...

    def call_begins(self, call: Call) -> Iterator[Send]: ...

    def call_grows(self, id_: str, value: str) -> Iterator[Send]: ...

    def call_ends(self, call: Call) -> Iterator[Send]: ...

    def cites(self, citation: Citation, id_: str) -> Iterator[Send]: ...

    def fails(self, message: str, code: str) -> Iterator[Send]: ...

    def ends(self, end: End) -> Iterator[Send]: ...


class Parts:
    """The parts that layers have alike, but for the names of their fields."""

    names: FieldNames

    def call_begins(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-start", {self.names.input_id: call.id, "toolName": call.name})

    def call_grows(self, id_: str, value: str) -> Iterator[Send]:
        grown = {self.names.input_id: id_, self.names.input_delta: value}
        yield Send("tool-input-delta", grown)

    def cites(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "url" if citation.url else "document"
        yield Send("source", {"sourceType": kind, **source(citation, id_, self.names.source_id)})

    def fails(self, message: str, code: str) -> Iterator[Send]:
        told = {"message": message, **({"code": code} if code else {})}
        yield Send("error", {self.names.error: told})


def source(citation: Citation, id_: str, name: str) -> dict[str, Any]:
    """A source's own fields; a document must have a title, so its name may have to serve.

    What tells a file from others is the provider's, and stands in its metadata.
    """
    if citation.url:
        titled = {"title": citation.title} if citation.title else {}
        return {name: id_, "url": citation.url, **titled}
    own = {"fileId": citation.file_id, "containerId": citation.container_id}
    named = {"filename": citation.filename} if citation.filename else {}
    return {
        name: id_,
        "mediaType": "text/plain" if citation.filename else "application/octet-stream",
        "title": citation.title or citation.filename or citation.file_id,
        **named,
        "providerMetadata": {"openai": {key: value for key, value in own.items() if value}},
    }


def invalid(call: Call) -> dict[str, Any]:
    """What is wrong with a call that has no input, as the SDK's core tells it."""
    return {"name": "AI_InvalidToolInputError", "message": f"{_NO_INPUT}: {call.arguments[:80]}"}
