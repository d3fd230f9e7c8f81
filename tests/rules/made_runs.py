"""Cases from mappings, and transcripts of their runs, without any adapter or upstream."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.contract.transcript import (
    VERDICTS,
    Emitted,
    End,
    Part,
    PlainAnswer,
    Request,
    SentEvent,
    Transcript,
)
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.wire.slots import fill_json


def case_of(
    scenario: Mapping[str, Any], dialect: str = "openresponses", id_: str = "any/x"
) -> Case:
    """A case of the scenario that a file with this content describes."""
    text = json.dumps(scenario, ensure_ascii=False)
    return Case(load(text.encode(), "x.yaml", id_), dialect)


def request_of(case: Case, attempt: int = 1) -> Request:
    """A request of the first turn, which was answered as the scenario says."""
    rendered = render(case, 0, attempt)
    sample = DIALECTS["openresponses"].sample()
    events = tuple(
        SentEvent(s.n, s.at, s.kind, s.type, fill_json(s.data, sample), s.ignorable)
        for s in rendered.plan.sent
    )
    answer = rendered.answer
    plain = PlainAnswer(answer.headers, answer.body.decode()) if answer else None
    status = answer.status if answer else 200
    path = "/r/x/v1/responses"
    return Request(
        attempt, float(attempt), "POST", path, status, 0,
        events=events, attempt=attempt, answer=plain,
    )  # fmt: skip


def run_of(
    case: Case,
    parts: Sequence[Part],
    end: End,
    request: Request | None = None,
    vocabulary: str = "vscode",
    **fields: Any,
) -> Transcript:
    """A run of one request in which these parts came, and then this ending."""
    run = Transcript(
        case=str(case),
        scenario=case.scenario.id,
        dialect=case.dialect,
        vocabulary=vocabulary,
        adapter="mine",
        verdict=VERDICTS[end.outcome],
        requests=(request or request_of(case),),
        parts=tuple(Emitted(n, 2.0, part) for n, part in enumerate(parts)),
        ends=(end,),
    )
    return replace(run, **fields)
