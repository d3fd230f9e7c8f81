"""data-exact: data comes out with the bytes and the media type that were sent, once.

What counts as sent is what any right account of the scenario has. A part with its media type or
with its bytes is held against it; other data (a host's own markers, citations) is not judged.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.reading import ReadData
    from conformance.rules.evidence import Evidence

_SHOWN = 24


def _check(evidence: Evidence) -> Iterator[Defect]:
    due = Counter((data.mime_type, data.data) for data in evidence.expected.data)
    for read in filter(evidence.judges, evidence.reading.data):
        if due[read.mime_type, read.data] > 0:
            due[read.mime_type, read.data] -= 1
        else:
            yield _defect(f"a part holds {_told(read)}", evidence, read.part)
            return
    for mime_type, data in due.elements() if not evidence.expected.cancelled else ():
        yield _defect(f"data of {mime_type} was lost: {_clip(data)}", evidence, None)
        return


def _defect(message: str, evidence: Evidence, part: int | None) -> Defect:
    due = [f"{data.mime_type} {_clip(data.data)}" for data in evidence.expected.data]
    return Defect(
        message,
        right=f"each once: {', '.join(due)}" if due else "no such part",
        about=topics("data"),
        event=next((e.event for e in evidence.entries if e.has("data")), None),
        part=part,
    )


def _told(read: ReadData) -> str:
    return f"{read.mime_type} {_clip(read.data)}, which was not sent so or came before"


def _clip(data: str) -> str:
    return data if len(data) <= _SHOWN else data[:_SHOWN] + "…"


RULE = Rule(
    id="data-exact",
    holds="bytes and media type as sent; data of other media types is not judged",
    source="lm-stream-semantics § 4.1",
    check=_check,
)
