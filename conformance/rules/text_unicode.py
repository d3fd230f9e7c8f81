"""text-unicode: no replacement character and no lone surrogate that the model did not send."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_BROKEN = re.compile("[\ufffd\ud800-\udfff]")


def _check(evidence: Evidence) -> Iterator[Defect]:
    got = evidence.reading.text
    found = next(
        (m for m in _BROKEN.finditer(got) if m[0] not in evidence.expected.text.text), None
    )
    if found:
        yield Defect(
            f"the text has U+{ord(found[0]):04X} at character {found.start()}, which was not sent",
            right="characters whole, wherever the reads or the deltas were cut",
            about=topics("text"),
            event=evidence.event_at(found.start()),
            part=evidence.reading.part_at(found.start()),
        )


RULE = Rule(
    id="text-unicode",
    holds="no replacement character or lone surrogate that the model did not send",
    source="lm-stream-semantics § 2.2",
    check=_check,
)
