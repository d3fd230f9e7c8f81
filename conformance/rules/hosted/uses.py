"""The parts of each call of the upstream's own tools, which runs are judged, and their values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.contract.transcript import Transcript
from conformance.dialects.sent_items import SentTool
from conformance.findings.finding import Kind, topics
from conformance.findings.values import ToolUse
from conformance.rules.evidence import Evidence
from conformance.vocabularies import FULLSTREAM, STREAM
from conformance.vocabularies.fullstream import StreamPart, parts_of_type
from mockserver.foundation.call_arguments import read_arguments, same_json


def joined(deltas: Iterable[str]) -> str:
    """Deltas as one text; halves of a character from two deltas are joined."""
    return "".join(deltas).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def values_in(value: Any) -> Iterator[Any]:
    """A JSON value and all values in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(inner, list | tuple) or isinstance(value, dict):
        for each in inner:
            yield from values_in(each)


def texts_in(value: Any) -> list[str]:
    return [each for each in values_in(value) if isinstance(each, str)]


def missing_from(value: Any, due: Iterable[str]) -> list[str]:
    """The texts that are not in a value, as texts of their own or in longer ones.

    A text that is JSON may be in the value as the JSON value that it stands for.
    """
    texts = texts_in(value)
    return [each for each in due if not _is_in(each, texts, value)]


def _is_in(due: str, texts: list[str], value: Any) -> bool:
    if any(due in each for each in texts):
        return True
    read = read_arguments(due)
    is_value = read.kind in ("object", "not an object") and not isinstance(read.value, str)
    return is_value and any(same_json(read.value, each) for each in values_in(value))


class OfUse(Kind):
    """Something is wrong with a call of a tool of the upstream, or with what becomes of it."""

    use: ToolUse

    same_by: ClassVar[tuple[str, ...]] = ("use.tool",)


@dataclass(frozen=True, slots=True)
class Use:
    """A call of a tool as it was sent, and the parts about it, in order.

    ``approval`` is the request for its approval. ``shown`` are the ids under which the calls were
    made for whose approval an earlier request has asked, if this call names that request.
    """

    sent: SentTool
    parts: tuple[StreamPart, ...]
    approval: StreamPart | None = None
    shown: frozenset[str] = frozenset()

    def of_type(self, *types: str) -> list[StreamPart]:
        return [part for part in self.parts if part.type in types]

    @property
    def call(self) -> StreamPart | None:
        return next(iter(self.of_type("tool-call")), None)

    @property
    def results(self) -> list[StreamPart]:
        return self.of_type("tool-result")

    @property
    def value(self) -> ToolUse:
        """The call as a finding names it: its id in the parts, and its tool."""
        id_ = self.parts[0].id if self.parts else min(self.sent.ids, default="")
        return ToolUse(id_, self.sent.tool)

    @property
    def named(self) -> str:
        """The id of the call and its tool, for the names of pieces."""
        return f"{self.value.id!r} ({self.value.tool})"

    @property
    def claims(self) -> frozenset[str]:
        """The topics of its calls."""
        return topics(*(f"call:{id_}" for id_ in {*self.sent.ids, *(p.id for p in self.parts)}))


def uses(evidence: Evidence) -> list[Use]:
    """The calls of tools in the answer, each with its parts."""
    tools = evidence.sent_items.tools
    return uses_of(tools, evidence.stream_parts, shown_in(evidence.transcript)) if tools else []


def uses_of(
    tools: Sequence[SentTool], parts: tuple[StreamPart, ...], shown: Mapping[str, str]
) -> list[Use]:
    """The calls of tools, each with its parts.

    ``shown`` are the ids of the calls for whose approval the user was asked, by the ids of the
    requests.
    """
    asked = {part.approval_id: part for part in parts if part.type == "tool-approval-request"}
    known = frozenset(id_ for tool in tools for id_ in tool.ids) | {p.id for p in asked.values()}
    found = []
    for tool in tools:
        approval = asked.get(tool.asks) if tool.asks else None
        alias = frozenset({shown[tool.approval]}) if tool.approval in shown else frozenset()
        ids = frozenset(tool.ids | alias)
        if tool.asks:
            ids = frozenset({approval.id or ""}) if approval else _unasked(tool, parts, known)
        own = tuple(p for p in parts if p.type.startswith("tool-") and p.id in ids)
        found.append(Use(tool, own, approval, alias))
    return found


def shown_in(transcript: Transcript) -> Mapping[str, str]:
    """The ids of calls by the ids of the requests for their approval, in all turns so far."""
    requests = parts_of_type(transcript.turns, "tool-approval-request")
    return {part.approval_id: part.id for part in requests if part.id}


def _unasked(
    tool: SentTool, parts: tuple[StreamPart, ...], known: frozenset[str | None]
) -> frozenset[str]:
    """The id of a call that was made of a request for approval, and for which nobody is asked."""
    calls = (part for part in parts if part.type == "tool-call")
    made = (call for call in calls if call.id in tool.ids or call.id not in known)
    called = (call.id for call in made if call.id and call.name.endswith(tool.name))
    return frozenset({next(called, "")} - {""})


def without_hosted_parts(evidence: Evidence) -> str:
    """Why a run has no parts of the upstream's own tools, in words; empty if it may have some."""
    if evidence.transcript.vocabulary not in (STREAM.name, FULLSTREAM.name):
        return "the vocabulary has no parts for tools that the provider executes"
    return ""
