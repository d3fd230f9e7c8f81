"""Says in words how an emitted text differs from the text that was sent."""

from __future__ import annotations

from conformance.expectation.match import common_prefix_length

_SHOWN = 24


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
    if at == len(expected):
        return f"{len(got) - at} character(s) were added after {what}: {clipped(got[at:])}"
    if expected.endswith(got):
        missing = len(expected) - len(got)
        return f"{what} lacks its first {missing} characters: {clipped(expected[:missing])}"
    return (
        f"{what} differs from character {at} on: {clipped(got[at:])} "
        f"where {clipped(expected[at:])} was sent"
    )


def clipped(text: str) -> str:
    """The beginning of a text, quoted."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
