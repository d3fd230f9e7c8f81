"""text-exact: the concatenated text is the model's text, nothing lost, doubled or added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.expectation.match import shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_SHOWN = 24


def _check(evidence: Evidence) -> Iterator[Defect]:
    expected, got = evidence.expected.text, evidence.reading.text
    if expected.fits(got):
        return
    at = shared(expected.text, got)
    calls = {name for name in evidence.stopped_early() if name.startswith("call:")}
    cut = at == len(got)
    yield Defect(
        _what(expected.text, got, at),
        right=f"{'no more than ' if expected.cut else ''}the text {_clip(expected.text)}",
        about=topics("text", *(calls if cut else ())),
        event=evidence.event_at(at),
        part=evidence.reading.part_at(at),
    )


def _what(expected: str, got: str, at: int) -> str:
    if expected and got == expected * 2:
        return f"the text came twice: {_clip(got)}"
    if at == len(got):
        return f"the text stops after {at} of {len(expected)} characters: {_clip(got)}"
    if at == len(expected):
        return f"{len(got) - at} character(s) were added behind the text: {_clip(got[at:])}"
    return (
        f"the text differs from character {at} on: {_clip(got[at:])} "
        f"where {_clip(expected[at:])} was sent"
    )


def _clip(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


RULE = Rule(
    id="text-exact",
    holds="concatenated text is the model's text: nothing lost, doubled, added",
    source="lm-stream-semantics § 2.2; stream-mapping § The Whitespace Bug",
    check=_check,
)
