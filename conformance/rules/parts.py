"""Rules about parts: each is valid, none is emitted after the end, and data is as sent."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.dialects.entry import DATA_KINDS
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import DataValue, RightData, SchemaError
from conformance.rules.evidence import Evidence
from conformance.vocabularies import VOCABULARIES
from conformance.vocabularies.vocabulary import BadPart
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.expected import ExpectData


@dataclass(frozen=True, slots=True)
class InvalidParts:
    """The first part that is not valid, by its type and the id of its call, and how many are.

    ``numbers`` are those of all such parts. The same is wrong in them ``times`` times, or else
    ``others`` counts those that follow the first. In ``other_vocabulary`` all parts are valid.
    """

    type: str
    id: str
    numbers: tuple[int, ...]
    times: int
    others: int
    vocabulary: str
    other_vocabulary: str


_WHAT = "a {came.type}[[ {came.id!r}]] came out"
_MORE = (
    "[[, {came.times} times]]"
    "[[, and {came.others:more part that is|more parts that are} not valid]]"
)


class _Invalid(Kind, weighs="falsehood"):
    """A part is not valid in the vocabulary."""

    came: InvalidParts

    right = (
        "parts that validate against schemas/parts/{came.vocabulary}.json"
        "[[; these are parts of the vocabulary {came.other_vocabulary}]]"
    )


class NotAnObject(_Invalid):
    """A part is not a JSON object."""

    value: Any

    message = f"{_WHAT}, which is no object: {{value:json-160}}{_MORE}"


class ToolResult(_Invalid):
    """A provider emits the result of a tool."""

    message = f"{_WHAT}: a provider reports no tool results; those stand only in messages{_MORE}"


class LacksField(_Invalid):
    """A part lacks a field."""

    field: str

    message = f"{_WHAT} without {{field}}{_MORE}"
    same_by = ("came.type", "field")


class EmptyField(_Invalid):
    """A field of a part is empty."""

    field: str

    message = f"{_WHAT} with an empty {{field}}{_MORE}"
    same_by = ("came.type", "field")


class OtherType(_Invalid):
    """A field of a part has a value of another JSON type."""

    field: str
    value: Any
    types: tuple[str, ...]

    message = f"{_WHAT} with {{field}} {{value:json-160}}, not {{types:types}}{_MORE}"
    same_by = ("came.type", "field")


class UnknownType(_Invalid):
    """A part has a type that the vocabulary does not have."""

    value: Any

    message = f"{_WHAT} of the unknown type {{value:json-160}}{_MORE}"
    same_by = ("came.type",)


class NotValid(_Invalid):
    """A part breaks the schema of its vocabulary."""

    field: str
    error: SchemaError

    message = f"{_WHAT} that is not valid: [[{{field}}: ]]{{error.says:first-200}}{_MORE}"
    same_by = ("came.type", "error.pattern")


_INVALID: Mapping[str, Callable[[InvalidParts, BadPart], Kind]] = {
    "not an object": lambda came, bad: NotAnObject(came, bad.value),
    "tool result": lambda came, _bad: ToolResult(came),
    "missing field": lambda came, bad: LacksField(came, bad.field),
    "empty field": lambda came, bad: EmptyField(came, bad.field),
    "other type": lambda came, bad: OtherType(came, bad.field, bad.value, bad.types),
    "unknown type": lambda came, bad: UnknownType(came, bad.value),
    "invalid": lambda came, bad: NotValid(came, bad.field, bad.error or SchemaError("$", "", "")),
}


@rule(
    holds="every part validates against its vocabulary's schema; no provider emits a tool result",
    source="lm-stream-semantics § 1.2, § 6.1",
    kinds=(NotAnObject, ToolResult, LacksField, EmptyField, OtherType, UnknownType, NotValid),
)
def part_known(evidence: Evidence) -> Iterator[Defect]:
    bad = [
        (emitted.n, why)
        for emitted in evidence.transcript.parts
        if (why := evidence.turn.vocabulary.problem_of(emitted.part))
    ]
    if not bad:
        return
    n, first = bad[0]
    fields = mapping(evidence.transcript.parts[n].part)
    came = InvalidParts(
        text(fields.get("type")) or "part",
        text(fields.get("toolCallId")) or text(fields.get("callId")),
        tuple(each for each, _ in bad),
        *_times_and_others([why for _, why in bad]),
        evidence.turn.vocabulary.name,
        _vocabulary_of(evidence),
    )
    yield Defect(
        _INVALID[first.problem](came, first),
        about=frozenset(f"part:{m}" for m, _ in bad).union(*(why.affects for _, why in bad)),
        part=n,
    )


def _vocabulary_of(evidence: Evidence) -> str:
    """The vocabulary in which all of the parts are valid; empty if there is none."""
    parts = [emitted.part for emitted in evidence.transcript.parts]
    fits = (each.name for each in VOCABULARIES.values() if not any(map(each.problem_of, parts)))
    return next(fits, "")


def _times_and_others(bad: Sequence[BadPart]) -> tuple[int, int]:
    """How often the same was wrong, if it was more than once; else how many others were wrong."""
    first, *others = (replace(each, affects=frozenset()) for each in bad)
    is_same = all(each == first for each in others)
    return (len(bad) if is_same and others else 0), (0 if is_same else len(others))


class AfterTheEnd(Kind, weighs="loss"):
    """Parts are emitted after the run has ended."""

    count: int
    first: int

    message = "{count:part|parts} came after the run had ended, first part {first}"
    right = "all parts before the ending; a host has stopped listening by then"


class LateMessage(Kind, weighs="loss"):
    """A message about a run comes long after its end, when another run is going on."""

    what: str
    run: str

    message = (
        "{what} of the run {run} came long after that run had ended; this run was the next one to "
        "end"
    )
    right = "all messages of a run before its ending"
    same_by = ("what",)


@rule(
    holds="nothing is emitted after the run ended",
    source="lm-stream-semantics § 1.1",
    kinds=(AfterTheEnd, LateMessage),
)
def part_after_end(evidence: Evidence) -> Iterator[Defect]:
    end = evidence.end
    late = [p for p in evidence.transcript.parts if end is not None and p.at > end.at]
    if late:
        yield Defect(
            AfterTheEnd(len(late), late[0].n),
            about=topics("text", "thinking", "calls", "citations", "data"),
            part=late[0].n,
        )
    for incident in evidence.transcript.incidents:
        if incident.kind == "late-message":
            kind = LateMessage(incident.what, incident.after)
            yield Defect(kind, about=topics(f"incident:{incident.n}"))


class _WrongData(Kind, weighs="loss"):
    """Data is not as it was sent."""

    due: RightData

    right = "{due:right-data}"


class DataAgain(_WrongData):
    """Data is emitted more often than it was sent."""

    came: DataValue

    message = "a part holds {came:data} again"


class OtherMediaType(_WrongData):
    """Data is emitted with another media type than it was sent with."""

    came: DataValue
    sent: str

    message = "a part holds {came:data}, which was sent as {sent}"


class OtherBytes(_WrongData):
    """Data is emitted with other bytes than were sent with its media type."""

    came: DataValue
    sent: DataValue

    message = "a part holds {came:data}, and {sent.data:data-start} was sent"


class DataLost(_WrongData):
    """Data is not emitted."""

    lost: DataValue

    message = "data of {lost.mime_type} was lost: {lost.data:data-start}"


class NeverSent(_WrongData):
    """Data is emitted that this answer does not have."""

    came: DataValue

    message = "a part holds {came:data}, which was not sent"


@rule(
    holds="bytes and media type as sent; data of other media types is not judged",
    source="lm-stream-semantics § 4.1",
    kinds=(DataAgain, OtherMediaType, OtherBytes, NeverSent, DataLost),
)
def data_exact(evidence: Evidence) -> Iterator[Defect]:
    """Data is emitted once, with the bytes and the media type that were sent.

    A part is compared if its media type or its bytes are those of data in any expectation of the
    scenario. Other data, such as markers of the host or citations, is not judged.
    """
    expected = evidence.expected
    right = RightData(_values(expected.data), _values(expected.optional_data))
    left = Counter(right.due + right.optional)
    for read in filter(evidence.is_judged_data, evidence.reading.data):
        came = DataValue(read.mime_type, read.data)
        if left[came] > 0:
            left[came] -= 1
        else:
            yield _wrong_data(evidence, _unexpected(came, right), read.part)
            return
    lost = left - Counter(right.optional)
    for each in lost.elements() if not expected.cancelled else ():
        yield _wrong_data(evidence, DataLost(right, each), None)
        return


def _values(data: Iterable[ExpectData]) -> tuple[DataValue, ...]:
    return tuple(DataValue(each.mime_type, each.data) for each in data)


def _wrong_data(evidence: Evidence, kind: Kind, part: int | None) -> Defect:
    event = evidence.first_event_with(*DATA_KINDS)
    return Defect(kind, topics("data"), event=event, part=part)


def _unexpected(came: DataValue, right: RightData) -> Kind:
    """What is wrong with data that should not have come."""
    sent = right.due + right.optional
    if came in sent:
        return DataAgain(right, came)
    if same_bytes := next((each for each in sent if each.data == came.data), None):
        return OtherMediaType(right, came, same_bytes.mime_type)
    if same_type := next((each for each in sent if each.mime_type == came.mime_type), None):
        return OtherBytes(right, came, same_type)
    return NeverSent(right, came)
