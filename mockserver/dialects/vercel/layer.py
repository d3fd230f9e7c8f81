"""``Layer``: the interface through which a script is translated to the parts of a dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mockserver.foundation.call_arguments import Arguments
from mockserver.scenario.script import Send

if TYPE_CHECKING:
    from mockserver.dialects.vercel.field_names import FieldNames
    from mockserver.scenario.script import Citation, Usage


_BLANK = Arguments("blank", {})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call whose ``arguments`` were read."""

    id: str
    name: str
    arguments: str = ""
    read: Arguments = _BLANK

    @property
    def input(self) -> dict[str, Any] | None:
        """The parsed arguments; None if they are not a JSON object."""
        return self.read.input


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a response: its finish reason, in the SDK's spelling and in the model's (``raw``).

    Without ``usage``, the usage report is sent without its counts.
    """

    reason: str
    raw: str
    usage: Usage | None


class Layer(Protocol):
    """Makes the parts of one dialect: provider parts, ``fullStream``, or UI message chunks."""

    @property
    def names(self) -> FieldNames:
        """The field names of its parts."""

    def start(self) -> Iterator[Send]:
        """The parts at the start of a response."""

    def extend_block(self, kind: str, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a block, whose kind is ``text`` or ``reasoning``."""

    def start_call(self, call: Call) -> Iterator[Send]:
        """The part at the start of a call, whose arguments are not known yet."""

    def extend_call(self, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a call's arguments."""

    def end_call(self, call: Call) -> Iterator[Send]:
        """The parts that complete a call."""

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        """The part that cites a source."""

    def fail(self, message: str, code: str) -> Iterator[Send]:
        """The part with an error."""

    def finish(self, ending: Ending) -> Iterator[Send]:
        """The parts at the end of a response."""


class Parts:
    """The parts that the dialects have in common, apart from the names of their fields."""

    names: FieldNames
    has_empty_text = False
    """Whether empty deltas of text are sent, which the SDK's core filters."""

    def extend_block(self, kind: str, id_: str, value: str) -> Iterator[Send]:
        if value or kind != "text" or self.has_empty_text:
            yield Send(f"{kind}-delta", {"id": id_, self.names.delta(kind): value})

    def start_call(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-start", {self.names.input_id: call.id, "toolName": call.name})

    def extend_call(self, id_: str, value: str) -> Iterator[Send]:
        fields = {self.names.input_id: id_, self.names.input_delta: value}
        yield Send("tool-input-delta", fields)

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "url" if citation.url else "document"
        yield Send("source", {"sourceType": kind, **source(citation, id_, self.names.source_id)})

    def fail(self, message: str, code: str) -> Iterator[Send]:
        error = {"message": message, **({"code": code} if code else {})}
        yield Send("error", {self.names.error: error})


def source(citation: Citation, id_: str, name: str) -> dict[str, Any]:
    """The fields of a source; ``name`` is the field for its id.

    A document must have a title, so its file name or id is used if it has none. The ids of a file
    are in the provider metadata.
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
