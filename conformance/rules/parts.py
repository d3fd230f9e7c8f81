"""Rules about parts: each is valid, none is emitted after the end, and data is as sent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.dialects.entry import DATA_KINDS
from conformance.dialects.short_text import counted
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.vocabularies import VOCABULARIES
from mockserver.foundation.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.contract.reading import ReadData
    from conformance.expectation.projection import Expected
    from conformance.rules.evidence import Evidence
    from mockserver.scenario.expected import ExpectData


def _part_known(evidence: Evidence) -> Iterator[Defect]:
    """Every part validates against the schema of its vocabulary, which has no tool results."""
    bad = [
        (emitted.n, why)
        for emitted in evidence.transcript.parts
        if (why := evidence.vocabulary.problem_of(emitted.part))
    ]
    if not bad:
        return
    n, first = bad[0]
    yield prose_defect(
        f"{_named(evidence.transcript.parts[n].part)} came out{first.why}"
        f"{_more([why.why for _, why in bad])}",
        right=f"parts that validate against schemas/parts/{evidence.vocabulary.name}.json"
        f"{_of_another_vocabulary(evidence)}",
        about=frozenset(f"part:{m}" for m, _ in bad).union(*(why.affects for _, why in bad)),
        part=n,
    )


def _of_another_vocabulary(evidence: Evidence) -> str:
    """The vocabulary in which all of the parts are valid, as the end of a sentence; or nothing."""
    parts = [emitted.part for emitted in evidence.transcript.parts]
    fits = (each for each in VOCABULARIES.values() if not any(map(each.problem_of, parts)))
    other = next(fits, None)
    return f"; these are parts of the vocabulary {other.name}" if other else ""


def _named(part: object) -> str:
    """A part by its type, and by its id if it is a call."""
    fields = mapping(part)
    id_ = text(fields.get("toolCallId")) or text(fields.get("callId"))
    return f"a {text(fields.get('type')) or 'part'}{f' {id_!r}' if id_ else ''}"


_ONE_MORE = ", and 1 more part that is not valid"


def _more(reasons: Sequence[str]) -> str:
    """How often parts came that are not valid, if it was more than once."""
    if len(reasons) == 1:
        return ""
    if len(set(reasons)) == 1:
        return f", {len(reasons)} times"
    others = len(reasons) - 1
    return f", and {others} more parts that are not valid" if others > 1 else _ONE_MORE


PART_KNOWN = Rule(
    id="part-known",
    holds="every part validates against its vocabulary's schema; no provider emits a tool result",
    source="lm-stream-semantics § 1.2, § 6.1",
    check=_part_known,
)


def _part_after_end(evidence: Evidence) -> Iterator[Defect]:
    """No part comes after the run has ended."""
    end = evidence.end
    late = [p for p in evidence.transcript.parts if end is not None and p.at > end.at]
    if late:
        yield prose_defect(
            f"{counted(len(late), 'part')} came after the run had ended, first part {late[0].n}",
            right="all parts before the ending; a host has stopped listening by then",
            about=topics("text", "thinking", "calls", "citations", "data"),
            part=late[0].n,
        )
    for incident in evidence.transcript.incidents:
        if incident.kind == "late-message":
            yield prose_defect(
                f"{incident.what} of the run {incident.after} came long after that run had ended; "
                "this run was the next one to end",
                right="all messages of a run before its ending",
                about=topics(f"incident:{incident.n}"),
            )


PART_AFTER_END = Rule(
    id="part-after-end",
    holds="nothing is emitted after the run ended",
    source="lm-stream-semantics § 1.1",
    check=_part_after_end,
)


_SHOWN = 24


def _data_exact(evidence: Evidence) -> Iterator[Defect]:
    """Data is emitted once, with the bytes and the media type that were sent.

    A part is compared if its media type or its bytes are those of data in any expectation of the
    scenario. Other data, such as markers of the host or citations, is not judged.
    """
    expected = evidence.expected
    due = _counted(expected.data) + _counted(expected.optional_data)
    for read in filter(evidence.is_judged_data, evidence.reading.data):
        if due[read.mime_type, read.data] > 0:
            due[read.mime_type, read.data] -= 1
        else:
            yield _wrong_data(f"a part holds {_unexpected(read, evidence)}", evidence, read.part)
            return
    lost = due - _counted(expected.optional_data)
    for mime_type, data in lost.elements() if not expected.cancelled else ():
        yield _wrong_data(f"data of {mime_type} was lost: {_clip(data)}", evidence, None)
        return


def _counted(data: Iterable[ExpectData]) -> Counter[tuple[str, str]]:
    return Counter((each.mime_type, each.data) for each in data)


def _wrong_data(message: str, evidence: Evidence, part: int | None) -> Defect:
    sending = (e.event for e in evidence.entries if any(map(e.has, DATA_KINDS)))
    return prose_defect(
        message,
        right=_right_data(evidence.expected),
        about=topics("data"),
        event=next(sending, None),
        part=part,
    )


def _right_data(expected: Expected) -> str:
    """The data that should come out, and what may, in words."""
    clauses = {"each once": expected.data, "at most once": expected.optional_data}
    words = [
        f"{often}: {', '.join(f'{each.mime_type} {_clip(each.data)}' for each in data)}"
        for often, data in clauses.items()
        if data
    ]
    return "; ".join(words) or "no such part"


def _unexpected(read: ReadData, evidence: Evidence) -> str:
    """Data that should not have come, with what is wrong with it."""
    sent = (*evidence.expected.data, *evidence.expected.optional_data)
    held = f"{read.mime_type} {_clip(read.data)}"
    if any((each.mime_type, each.data) == (read.mime_type, read.data) for each in sent):
        return f"{held} again"
    same_bytes = next((each for each in sent if each.data == read.data), None)
    if same_bytes:
        return f"{held}, which was sent as {same_bytes.mime_type}"
    same_type = next((each for each in sent if each.mime_type == read.mime_type), None)
    if same_type:
        return f"{held}, and {_clip(same_type.data)} was sent"
    return f"{held}, which was not sent"


def _clip(data: str) -> str:
    return data if len(data) <= _SHOWN else data[:_SHOWN] + "…"


DATA_EXACT = Rule(
    id="data-exact",
    holds="bytes and media type as sent; data of other media types is not judged",
    source="lm-stream-semantics § 4.1",
    check=_data_exact,
)
