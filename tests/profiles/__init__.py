"""Examples of exceptions, the known deviations of an upstream from its specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.dialects.contracts import Contract
from conformance.dialects.recording import read_dump
from conformance.findings.finding import Finding
from conformance.rules.streams import judge_stream
from tests.stream import Events

Change = Callable[[Events], Events]


@dataclass(frozen=True, slots=True)
class Example:
    """An example of an exception of a profile.

    ``change`` adds the deviation to a legal stream. ``neighbours`` are changes that resemble it
    but are not allowed, each with the rule that it breaks under the profile. Without ``done``, the
    stream has no ``[DONE]``.
    """

    profile: str
    exception: str
    change: Change
    neighbours: tuple[tuple[str, Change], ...]
    done: bool = True


def musts(data: bytes, dialect: str, contract: Contract | None = None) -> list[Finding]:
    """The findings of level must about a recorded stream."""
    dump = read_dump(data, "stream")
    findings = judge_stream(dump.events, dump.framing, dialect, contract)
    return [finding for finding in findings if finding.level == "must"]


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings}
