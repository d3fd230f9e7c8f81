"""text-markup: the adapter itself adds no external image and no raw HTML.

Words of the adapter's own stand only where it may tell of a failure in the text; anything else that
it adds is text-exact's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

# Elements that people write in messages; a '<' alone is no markup.
_MARKUP = re.compile(
    r"</?(?:a|b|br|code|details|div|em|font|h[1-6]|hr|i|img|li|p|pre|script|span|strong|style|"
    r"summary|table|td|tr|u|ul)\b[^<>]*>|!\[[^\]]*\]\(",
    re.IGNORECASE,
)


def _check(evidence: Evidence) -> Iterator[Defect]:
    expected, got = evidence.expected, evidence.reading.text
    if expected.text.tail is None or not expected.text.fits(got):
        return
    start = len(expected.text.text)
    said = got[start:]
    told = expected.error.message if expected.error else ""
    found = next((m for m in _MARKUP.finditer(said) if m[0] not in told), None)
    if found:
        yield Defect(
            f"the adapter's own words hold markup that hosts strip: {found[0]!r}",
            right="words, or Markdown without images and HTML",
            about=topics("markup"),
            part=evidence.reading.part_at(start + found.start()),
        )


RULE = Rule(
    id="text-markup",
    holds="the adapter itself adds no external images and no raw HTML",
    source="lm-stream-semantics § 2.6",
    check=_check,
    level="should",
)
