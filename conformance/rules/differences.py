"""Says in words how an emitted text differs from the text that was sent."""

from __future__ import annotations

from conformance.expectation.match import common_prefix_length

_SHOWN = 24
_AROUND = 20


def difference(what: str, expected: str, got: str) -> str:
    """How ``what`` (the text, the thinking) differs from what was sent, for messages."""
    at = common_prefix_length(expected, got)
    if not got:
        return f"{what} never came out: {clipped(expected)} was sent"
    if not expected:
        return f"{what} came out, and none was sent: {clipped(got)}"
    if got == expected * 2:
        return f"{what} came twice: {clipped(got)}"
    if at == len(got):
        return f"{what} stops after {at} of {len(expected)} characters: {clipped(got)}"
    if (start := got.find(expected)) >= 0:
        return _added_around(what, got[:start], got[start + len(expected) :])
    if expected.endswith(got):
        missing = len(expected) - len(got)
        return f"{what} lacks its first {missing} characters: {clipped(expected[:missing])}"
    return (
        f"{what} differs from character {at} on: {clipped(got[at:])} "
        f"where {clipped(expected[at:])} was sent"
    )


def _added_around(what: str, before: str, after: str) -> str:
    """What was added before and after a text, in words."""
    places = {"before": before, "after": after}
    added = " and ".join(f"{clipped(piece)} {where} it" for where, piece in places.items() if piece)
    count = len(before) + len(after)
    if before and after:
        return f"{count} characters were added to {what}: {added}"
    side = "before" if before else "after"
    more = f"{count} character{'s were' if count > 1 else ' was'}"
    return f"{more} added {side} {what}: {clipped(before or after)}"


def around(text: str, at: int) -> str:
    """A text, quoted; of a long one the characters around a place, which is counted from 0."""
    start = max(0, at - _AROUND)
    if len(text) <= _SHOWN or not start:
        return clipped(text)
    piece = text[start : at + _AROUND]
    more = "…" if at + _AROUND < len(text) else ""
    quoted = repr(f"…{piece}{more}")
    if at >= len(text):
        return quoted
    return f"{quoted} ({text[at]!r} is character {at} of the whole, counted from 0)"


def clipped(text: str) -> str:
    """The beginning of a text, quoted."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
