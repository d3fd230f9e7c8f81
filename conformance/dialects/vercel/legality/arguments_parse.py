"""arguments-parse: the input that a provider gives a call is JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.arguments import parses, shown
from conformance.dialects.vercel.stream import numbers
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.stream import Parts


def _check(stream: Parts) -> Iterator[Defect]:
    for part in stream.parts:
        told = text(part.input) if part.type == "tool-call" else ""
        # Without a word the input is an empty object.
        if told.strip() and not parses(told):
            yield Defect(
                f"the input of the call {part.call!r} is not JSON: {shown(told)!r}",
                right="a JSON object as text, or an empty text",
                about=topics(f"input:{part.n}"),
                event=part.n,
                needs=numbers([part]),
            )


RULE = Rule(
    id="arguments-parse",
    holds="the input of a call parses as JSON",
    source="ai; streamproof",
    check=_check,
    level="should",
)
