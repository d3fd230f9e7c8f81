"""Rules about the requests of a run: one is made, it is valid, and it is not retried too late."""

from collections.abc import Iterator

from conformance.contract.transcript import Request
from conformance.dialects import KIT
from conformance.dialects.short_text import clip
from conformance.expectation.early_endings import WAITED
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ErrorValue, SchemaError
from conformance.rules.error_cause import error_value
from conformance.rules.evidence import Evidence
from conformance.rules.single_ending import LOST
from conformance.vocabularies.fullstream import is_about_run
from mockserver.dialects import DIALECTS
from mockserver.foundation.schemas import deepest, errors_of

_EVERYTHING = topics("text", "thinking", "calls", "citations", "data", "end", "told")


_ONE_POST = "one POST to the base URL that the run was given"


class CrashedBeforeRequest(Kind, weighs="loss"):
    """The adapter reports an error of its own before it has made a request."""

    error: ErrorValue

    message = (
        "no request reached the run's base URL: the adapter crashed[[: {error.message:line-80}]]"
    )
    right = _ONE_POST
    same_by = ("error.error_class",)


class EndedWithoutRequest(Kind, weighs="loss"):
    """A run ends without a request."""

    outcome: str
    error: ErrorValue

    message = (
        "no request reached the run's base URL, and the run ended as {outcome!r}"
        "[[: {error.message:quoted-80}]]"
    )
    right = _ONE_POST
    headline = "no request was made, and the run ended as {outcome!r}"
    same_by = ("outcome", "error.error_class")


class OtherAddress(Kind, weighs="loss"):
    """All requests of a run go to addresses at which the server has nothing."""

    method: str
    path: str
    status: int
    why: str
    dialect: str
    operation: str

    message = "no request was for the run's case: {method} {path!r} got HTTP {status}[[ ({why})]]"
    right = (
        "a request that the case answers: in {dialect}, a POST to …/{operation} below the base URL"
    )
    headline = "{method} {path!r} got HTTP {status}"
    same_by = ("status",)


class InvalidRequest(Kind, weighs="loss"):
    """A request does not satisfy the dialect's request schema.

    ``breaks`` are what the schema refuses, without indexes, or the fields of other problems.
    ``status`` is 0 if the request was not refused.
    """

    status: int
    problems: tuple[str, ...]
    breaks: tuple[str, ...]

    message = "the request [[was refused with HTTP {status}|is invalid]]: {problems:details}"
    right = "a request that satisfies the dialect's request schema"
    same_by = ("breaks",)


@rule(
    holds="a request is valid for its dialect, and it is made",
    source="OpenResponses § CreateResponseBody",
    kinds=(CrashedBeforeRequest, EndedWithoutRequest, OtherAddress, InvalidRequest),
)
def request_valid(evidence: Evidence) -> Iterator[Defect]:
    requests = evidence.transcript.posts
    source = KIT[evidence.transcript.dialect].documents.request
    cancelled = evidence.transcript.cancelled
    end = evidence.end
    # A run that is cancelled before its first part need not begin, and one that is refused has an
    # ending of its own. An adapter that was lost before its request, or that neither asks nor ends,
    # as a gateway that is held up by other runs, is reported by `end-once`.
    verdict = evidence.transcript.verdict
    may_not = (
        (cancelled and cancelled.parts == 0)
        or (end and end.outcome == "unsupported")
        or (end is None and verdict in LOST)
        or verdict in WAITED
    )
    if not requests and not may_not:
        yield Defect(_without_request(evidence), _EVERYTHING, source=source)
    if wrong := _misaddressed(evidence):
        dialect = evidence.transcript.dialect
        kind = OtherAddress(
            wrong.method,
            wrong.path,
            wrong.status,
            clip("; ".join(filter(None, wrong.why.splitlines())), _MAX_WHY),
            dialect,
            DIALECTS[dialect].requests.operations[0],
        )
        yield Defect(kind, _EVERYTHING, source=source)
    for request in requests:
        if problems := request.problems:
            refused = request.status >= _FIRST_ERROR_STATUS
            breaks = _breaks(evidence.transcript.dialect, request)
            invalid = InvalidRequest(request.status if refused else 0, problems, breaks)
            yield Defect(invalid, _EVERYTHING, source=source)
            return


def _breaks(dialect: str, request: Request) -> tuple[str, ...]:
    """What the schema of requests refuses, else the fields with which the problems begin."""
    found = map(deepest, errors_of(DIALECTS[dialect].requests.validator(), request.body))
    errors = (SchemaError(each.json_path, str(each.validator), each.message) for each in found)
    fields = (problem.partition(": ")[0] for problem in request.problems)
    return tuple(sorted({each.pattern for each in errors} or set(fields)))


_FIRST_ERROR_STATUS = 400
_NOT_THERE = (404, 405)


def _misaddressed(evidence: Evidence) -> Request | None:
    """The last request, if the server has nothing at the path of any of them."""
    requests = evidence.transcript.posts
    refused = (each.turn is None and each.status in _NOT_THERE for each in requests)
    return requests[-1] if requests and all(refused) else None


def _without_request(evidence: Evidence) -> Kind:
    """What the adapter did instead of making a request."""
    end = evidence.end
    error = error_value(end.error if end else None)
    if end and end.outcome == "error":
        return CrashedBeforeRequest(error)
    return EndedWithoutRequest(end.outcome if end else evidence.transcript.verdict, error)


_MAX_WHY = 240


class RetriedAfterParts(Kind, weighs="harm"):
    """A request is made again after parts of its answer have come out."""

    attempt: int
    parts: int

    message = (
        "the request was made again (attempt {attempt}) after {parts:part|parts} of the answer had "
        "come out"
    )
    right = "a failure after what has come out, and nothing is tried again"
    headline = "the request was made again after {parts:part|parts} had come out"


@rule(
    holds="a retry repeats no part; nothing is retried after the first part",
    source="lm-stream-semantics § 1.1, § 5.3",
    kinds=(RetriedAfterParts,),
)
def retry_clean(evidence: Evidence) -> Iterator[Defect]:
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
            yield Defect(
                RetriedAfterParts(request.attempt, len(out)),
                about=topics("text", "thinking", "calls", *(f"part:{p.n}" for p in out)),
                part=out[-1].n,
            )
            return
