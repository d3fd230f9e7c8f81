"""one-generation: there is a release of the SDK that can have streamed all of the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.vercel.generations import RELEASES, Sign, signs
from conformance.dialects.vercel.stream import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.generations import Releases
    from conformance.dialects.vercel.stream import Part, Parts


def _check(stream: Parts) -> Iterator[Defect]:
    left = RELEASES[stream.dialect]
    foreign: list[tuple[Part, Sign, Releases]] = []
    for part in [*stream.parts, *stream.late]:
        before = left
        for sign in signs(stream.dialect, part):
            if left & sign.releases:
                left &= sign.releases
            else:
                foreign.append((part, sign, left))
                left = before
                break
    if foreign:
        yield _defect(stream, foreign)


def _defect(stream: Parts, foreign: list[tuple[Part, Sign, Releases]]) -> Defect:
    part, sign, left = foreign[0]
    what = f"{part.type} has {sign.what}" if sign.what else f"{part.type} is a part"
    whose = f"of {_listed(sign.releases)}" if sign.releases else "as no release has it"
    before = "" if left == RELEASES[stream.dialect] else f", and the rest is of {_listed(left)}"
    more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
    return Defect(
        f"{what} {whose}{before}{more}",
        right="parts that one release of the SDK streams, and no blend of several",
        about=topics("generation", *(f"event:{one.n}" for one, _, _ in foreign)),
        event=part.n,
        needs=numbers([part]),
    )


def _listed(releases: Releases) -> str:
    return " or ".join(sorted(releases))


RULE = Rule(
    id="one-generation",
    holds="all parts can be of one release: types, names of fields, usage, reasons to finish",
    source="ai; @ai-sdk/provider",
    check=_check,
)
