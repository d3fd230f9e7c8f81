"""Rules about the requests of a run: one is made, it is valid, and it is not retried too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import KIT
from conformance.dialects.short_text import clip, counted, first_line, quoted
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.lost_runs import LOST
from conformance.vocabularies.fullstream import is_about_run
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import Request
    from conformance.rules.evidence import Evidence

_EVERYTHING = topics("text", "thinking", "calls", "citations", "data", "end", "told")


def _request_valid(evidence: Evidence) -> Iterator[Defect]:
    """A run makes a request, and each request is valid for its dialect."""
    requests = evidence.transcript.posts
    source = KIT[evidence.transcript.dialect].documents.request
    cancelled = evidence.transcript.cancelled
    end = evidence.end
    # A run that is cancelled before its first part need not begin, and one that is refused has an
    # ending of its own. An adapter that was lost before its request is reported by `end-once`.
    may_not = (
        (cancelled and cancelled.parts == 0)
        or (end and end.outcome == "unsupported")
        or (end is None and evidence.transcript.verdict in LOST)
    )
    if not requests and not may_not:
        yield prose_defect(
            f"no request reached the run's base URL{_meanwhile(evidence)}",
            right="one POST to the base URL that the run was given",
            about=_EVERYTHING,
            source=source,
        )
    if wrong := _misaddressed(evidence):
        why = "; ".join(filter(None, wrong.why.splitlines()))
        yield prose_defect(
            f"no request was for the run's case: {wrong.method} {quoted(wrong.path, _MAX_SAID)} "
            f"got HTTP {wrong.status}{f' ({clip(why, _MAX_WHY)})' if why else ''}",
            right=f"a request that the case answers: {_addressed(evidence)}",
            about=_EVERYTHING,
            source=source,
        )
    for request in requests:
        if request.problems:
            refused = request.status >= _FIRST_ERROR_STATUS
            how = f"was refused with HTTP {request.status}" if refused else "is invalid"
            yield prose_defect(
                f"the request {how}: {'; '.join(request.problems)}",
                right="a request that satisfies the dialect's request schema",
                about=_EVERYTHING,
                source=source,
            )
            return


_FIRST_ERROR_STATUS = 400
_NOT_THERE = (404, 405)


def _misaddressed(evidence: Evidence) -> Request | None:
    """The last request, if the server has nothing at the path of any of them."""
    requests = evidence.transcript.posts
    refused = (each.turn is None and each.status in _NOT_THERE for each in requests)
    return requests[-1] if requests and all(refused) else None


def _addressed(evidence: Evidence) -> str:
    """Where a request for the case goes, in words."""
    dialect = evidence.transcript.dialect
    return (
        f"in {dialect}, a POST to …/{DIALECTS[dialect].requests.operations[0]} below the base URL"
    )


def _meanwhile(evidence: Evidence) -> str:
    """What the adapter did instead of making a request, as the end of a sentence."""
    verdict, end = evidence.transcript.verdict, evidence.end
    if verdict in ("hung", "timed-out") or end is None:
        return " before the time of the run was over"
    said = end.error.message if end.error else ""
    if end.outcome == "error":
        return ": the adapter crashed" + (f": {first_line(said, _MAX_SAID)}" if said else "")
    return f", and the run ended as {end.outcome!r}{f': {quoted(said, _MAX_SAID)}' if said else ''}"


_MAX_SAID = 80
_MAX_WHY = 240

REQUEST_VALID = Rule(
    id="request-valid",
    holds="a request is valid for its dialect, and it is made",
    source="OpenResponses § CreateResponseBody",
    check=_request_valid,
)


def _retry_clean(evidence: Evidence) -> Iterator[Defect]:
    """No request is retried after the first part of its answer has been emitted.

    Good adapters differ on whether to try again before that. A retry after the first part breaks
    this rule: the host has shown the part, and another answer starts from the beginning.
    """
    first: dict[int | None, float] = {}
    for request in evidence.transcript.answered:
        began = first.setdefault(request.turn, request.at)
        answered = (p for p in evidence.transcript.parts if not is_about_run(p.part))
        out = [p for p in answered if began <= p.at < request.at]
        if out:
            yield prose_defect(
                f"the request was made again (attempt {request.attempt}) after "
                f"{counted(len(out), 'part')} of the answer had come out",
                right="a failure after what has come out, and nothing is tried again",
                about=topics("text", "thinking", "calls", *(f"part:{p.n}" for p in out)),
                part=out[-1].n,
            )
            return


RETRY_CLEAN = Rule(
    id="retry-clean",
    holds="a retry repeats no part; nothing is retried after the first part",
    source="lm-stream-semantics § 1.1, § 5.3",
    check=_retry_clean,
)
