"""The kit's routes, mounted beside the mock server's own: expectations, readings and verdicts.

With them an adapter can be tested from any framework and language: open a run, drive the adapter
against its base URL, post the parts that it emitted, and read the findings.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from aiohttp import web
from jsonschema import Draft202012Validator

from conformance.contract.traits import Traits, parse_traits
from conformance.contract.transcript import (
    RELEASE_SECONDS,
    VERDICTS,
    Cancelled,
    Emitted,
    End,
    Transcript,
    TurnInput,
    end_of,
)
from conformance.expectation.cancellation import as_cancelled
from conformance.expectation.reading_schema import compile_schema
from conformance.expectation.refusals import refusals
from conformance.expectation.turn_content import expected_contents
from conformance.rules.judge import expectations, judge_case
from conformance.suite.play import requests_of
from conformance.vocabularies import VOCABULARIES
from mockserver.faults import Problem, UserError, did_you_mean
from mockserver.server import intake
from mockserver.server.answers import answer
from mockserver.server.control import case_named, run_named
from mockserver.server.state import STATE
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mockserver.render import Case
    from mockserver.server.runs import Run


def routes() -> list[web.RouteDef]:
    """The routes to mount; all paths begin with ``/_mock/``."""
    return [
        web.get("/_mock/expectations/{case:.+}", _expectation),
        web.post("/_mock/runs/{id}/reading", _reading),
        web.post("/_mock/runs/{id}/verdict", _verdict),
    ]


@dataclass(frozen=True, slots=True)
class _Posted:
    """The parts and the ending of a run, as posted by a test in another framework.

    ``cancelled`` is the number of parts emitted before the run was cancelled. ``turn`` is the turn
    of the conversation, counted from 0, and ``asked`` the request that the host made for it.
    """

    parts: list[Any]
    end: End | None
    vocabulary: str
    traits: Traits
    adapter: str
    cancelled: int | None
    turn: int
    asked: TurnInput | None


async def _expectation(request: web.Request) -> web.Response:
    """The expectation of a case as a JSON Schema; query parameters: traits, cancelled and turn."""
    case = _requested_case(request)
    query = dict(request.query)
    cancelled = query.pop("cancelled", "false")
    if cancelled not in ("true", "false"):
        raise UserError(f"cancelled is true or false, not {cancelled!r:.80}")
    turn = query.pop("turn", "0")
    played = _turn_number(int(turn) if turn.isdecimal() and len(turn) < 4 else turn, case)
    return answer(_compiled(case, played, parse_traits(query), cancelled == "true"))


def _turn_number(turn: Any, case: Case) -> int:
    """Check that a value is the number of a turn of the case. Raises UserError."""
    turns = len(case.scenario.turns)
    if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn < turns:
        raise UserError(f"{case} has no turn {turn!r:.80}; it has {turns}, counted from 0")
    return turn


def _compiled(case: Case, turn: int, traits: Traits, cancelled: bool) -> dict[str, Any]:
    right = expectations(case, expected_contents(case.scenario, turn), traits)
    if cancelled:
        return compile_schema([as_cancelled(expected) for _, expected in right])
    refused = refusals(case, right, traits)
    return compile_schema([expected for _, expected in [*right, *refused]])


async def _reading(request: web.Request) -> web.Response:
    posted = await _posted(request, (await run_named(request)).case)
    vocabulary = VOCABULARIES[posted.vocabulary].with_traits(posted.traits)
    return answer(vocabulary.read(posted.parts, posted.end).to_json())


async def _verdict(request: web.Request) -> web.Response:
    run = await run_named(request)
    posted = await _posted(request, run.case)
    moment = time.monotonic()
    # As in a run of the suite: the client of a cancelled run has ``RELEASE_SECONDS`` to disconnect.
    settle = 0.0 if posted.cancelled is None else RELEASE_SECONDS
    run = await request.app[STATE].store.recorded(run, settle)
    transcript = _transcript(run, posted, moment)
    findings = judge_case(run.case, transcript, posted.traits)
    failed = any(finding.level == "must" for finding in findings)
    return answer(
        {
            "case": str(run.case),
            "status": "failed" if failed else "passed",
            "findings": [finding.to_json() for finding in findings],
            "traits": asdict(posted.traits),
            "transcript": transcript.to_json(),
        }
    )


def _transcript(run: Run, posted: _Posted, moment: float) -> Transcript:
    began = run.exchanges[0].at if run.exchanges else moment
    cancelled = posted.cancelled
    several = len(run.case.scenario.turns) > 1
    requests = tuple(
        each for each in requests_of(run, began) if not several or each.turn in (posted.turn, None)
    )
    # The times of parts are not posted: they count as emitted after the last request.
    at = max((request.at for request in requests), default=0.0)
    return Transcript(
        case=str(run.case),
        scenario=run.case.scenario.id,
        dialect=run.case.dialect,
        vocabulary=posted.vocabulary,
        adapter=posted.adapter,
        verdict=VERDICTS[posted.end.outcome] if posted.end else "hung",
        requests=requests,
        parts=tuple(Emitted(n, at, part) for n, part in enumerate(posted.parts)),
        # The time of the cancellation is not posted; the latest possible one is used.
        cancelled=None
        if cancelled is None
        else Cancelled(moment - began, cancelled, "after_parts"),
        ends=(replace(posted.end, at=at),) if posted.end else (),
        turn=posted.turn,
        asked=posted.asked,
    )


def _requested_case(request: web.Request) -> Case:
    return case_named(request.app[STATE].catalogue, request.match_info["case"])


async def _posted(request: web.Request, case: Case) -> _Posted:
    """Read and check the body of a request. Raises UserError."""
    body = intake.parse_json(await intake.read_body(request))
    if not isinstance(body, dict) or not isinstance(body.get("parts"), list):
        raise UserError(
            Problem(
                "the body has no list of parts",
                hint='{"parts": [...], "end": {"type": "done", "outcome": "completed"}}',
            )
        )
    _only_known(body, _KEYS, "key")
    vocabulary = body.get("vocabulary", "vscode")
    if not isinstance(vocabulary, str) or vocabulary not in VOCABULARIES:
        hint = did_you_mean(str(vocabulary), VOCABULARIES)
        raise UserError(Problem(f"no vocabulary is called {vocabulary!r:.80}", hint=hint))
    return _Posted(
        body["parts"],
        _end(body.get("end")),
        vocabulary,
        parse_traits(body.get("traits", {})),
        str(body.get("adapter", "posted")),
        _cancelled(body.get("cancelled")),
        _turn_number(body.get("turn", 0), case),
        _asked(body.get("messages"), case),
    )


_KEYS = ("parts", "end", "vocabulary", "traits", "adapter", "cancelled", "turn", "messages")


def _asked(messages: Any, case: Case) -> TurnInput | None:
    if messages is None:
        return None
    contract = {**schema("driver"), "oneOf": [{"$ref": "#/$defs/run/properties/messages"}]}
    contract.pop("type", None)
    error = next(Draft202012Validator(contract).iter_errors(messages), None)
    if error:
        hint = "what the host handed over, as drive/1 has it: see schemas/driver.json"
        raise UserError(Problem(f"'messages' is no conversation: {error.message[:200]}", hint=hint))
    return TurnInput(tuple(messages), options=case.scenario.host.options)


def _cancelled(value: Any) -> int | None:
    if value is None:
        return None
    parts = value.get("parts") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 0:
        hint = '"cancelled": {"parts": 2}, or null'
        raise UserError(
            Problem("'cancelled' says how many parts were out when it was cancelled", hint=hint)
        )
    return parts


def _only_known(values: Mapping[str, Any], known: Collection[str], kind: str) -> None:
    for name in values:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UserError(Problem(f"unknown {kind} {name[:80]!r}", hint=hint))


def _end(message: Any) -> End | None:
    if message is None:
        return None
    checked = {"id": "posted", **message} if isinstance(message, dict) else message
    error = next(Draft202012Validator(schema("driver")).iter_errors(checked), None)
    if error or checked.get("type") not in ("done", "error", "unsupported"):
        why = error.message[:200] if error else "it is no done, error or unsupported message"
        raise UserError(Problem(f"'end' is no ending: {why}", hint="see schemas/driver.json"))
    return end_of(checked, 0.0)
