"""The failing results of each adapter for the page: one line each, apart from known failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.findings.words import message_of
from conformance.report import summary
from conformance.report.case_section import rules, word
from conformance.report.table import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conformance.report.case_section import Situation
    from conformance.report.results import Result, Status

_MAX_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing result: its case, what it breaks, the first finding's message, its run's id.

    ``title`` and ``conduct`` are the scenario's; empty if there is none.
    """

    run: str
    pieces: Sequence[str]
    title: str
    conduct: str
    status: Status
    word: str
    rules: Sequence[str]
    message: str


@dataclass(frozen=True, slots=True)
class Failures:
    """The failing results of one adapter; ``known`` are the known failures among them."""

    adapter: str
    unexpected: Sequence[Failure]
    known: Sequence[Failure]


def failures_of(
    results: Iterable[tuple[str, Result]], situations: Mapping[str, Situation]
) -> Iterator[Failures]:
    """The failures of each adapter that has any.

    ``results`` come with the ids of their runs, ``situations`` are by case.
    """
    by_adapter: dict[str, list[Failure]] = {}
    for run, result in results:
        if result.status in ("failed", "known", "broken"):
            by_adapter.setdefault(result.adapter, []).append(
                _failure(run, result, situations[result.case])
            )
    for adapter, failures in by_adapter.items():
        known = [each for each in failures if each.status == "known"]
        yield Failures(adapter, [each for each in failures if each.status != "known"], known)


def _failure(run: str, result: Result, situation: Situation) -> Failure:
    return Failure(
        run=run,
        pieces=pieces_of(result.case),
        title="" if situation.unknown else situation.title,
        conduct=situation.conduct,
        status=result.status,
        word=word(result),
        rules=rules(result),
        message=summary.clip(_message(result), _MAX_MESSAGE),
    )


def _message(result: Result) -> str:
    """The message of the finding that is named first; the reason if there is no finding."""
    findings = sorted(result.findings, key=lambda finding: finding.level != "must")
    return message_of(findings[0]) if findings else result.why
