"""How an emitted text differs from the text that was sent: kinds of findings about texts."""

from __future__ import annotations

from typing import Literal

from conformance.expectation.match import common_prefix_length
from conformance.findings.finding import Kind
from conformance.findings.values import FailureInstead, TextPlace


class _Different(Kind):
    """A text is not the one that was sent, from a place on.

    ``due`` is the text that was sent, with the number of characters that are right. With
    ``at_most`` the beginning of it is right as well.
    """

    what: Literal["text", "thinking"]
    due: TextPlace
    at_most: bool
    or_failure: FailureInstead

    right = "[[{at_most:if}no more than ]]the {what} {due:around}{or_failure:or-failure}"


class NeverCame(_Different):
    """Nothing was emitted of a text."""

    message = "the {what} never came out: {due.text:start} was sent"


class NeverSent(_Different):
    """A text was emitted, and none was sent."""

    came: str

    message = "the {what} came out, and none was sent: {came:start}"


class CameTwice(_Different):
    """The whole text was emitted twice."""

    came: str

    message = "the {what} came twice: {came:start}"


class StopsEarly(_Different):
    """The end of a text is missing."""

    length: int
    came: str

    message = "the {what} stops after {due.at} of {length} characters: {came:start}"


class AddedAtOneSide(_Different):
    """Characters were added before or after a text."""

    side: Literal["before", "after"]
    added: str
    count: int

    message = "{count:character was|characters were} added {side} the {what}: {added:start}"
    same_by = ("side",)


class AddedAround(_Different):
    """Characters were added before and after a text."""

    before: str
    after: str
    count: int

    message = (
        "{count} characters were added to the {what}: {before:start} before it and {after:start} "
        "after it"
    )


class LacksBeginning(_Different):
    """The beginning of a text is missing."""

    missing: str
    count: int

    message = "the {what} lacks its first {count:character|characters}: {missing:start}"


class Differs(_Different):
    """A text has other characters than were sent, from a place on."""

    came: str
    sent: str

    message = (
        "the {what} differs from character {due.at} on: {came:start} where {sent:start} was sent"
    )


DIFFERENCES: tuple[type[Kind], ...] = (
    NeverCame,
    NeverSent,
    CameTwice,
    StopsEarly,
    AddedAtOneSide,
    AddedAround,
    LacksBeginning,
    Differs,
)


def difference(
    what: Literal["text", "thinking"],
    sent: str,
    came: str,
    *,
    at_most: bool = False,
    or_failure: FailureInstead = "",
) -> Kind:
    """How a text that was emitted differs from the one that was sent; they must differ."""
    at = common_prefix_length(sent, came)
    right = (what, TextPlace(sent, at), at_most, or_failure)
    if not came:
        return NeverCame(*right)
    if not sent:
        return NeverSent(*right, came)
    if came == sent * 2:
        return CameTwice(*right, came)
    if at == len(came):
        return StopsEarly(*right, len(sent), came)
    if sent in came:
        before, _, after = came.partition(sent)
        count = len(before) + len(after)
        if before and after:
            return AddedAround(*right, before, after, count)
        return AddedAtOneSide(*right, "before" if before else "after", before or after, count)
    if sent.endswith(came):
        count = len(sent) - len(came)
        return LacksBeginning(*right, sent[:count], count)
    return Differs(*right, came[at:], sent[at:])


def clipped(text: str) -> str:
    """The beginning of a text, quoted."""
    return repr(text if len(text) <= 24 else text[:24] + "…")
