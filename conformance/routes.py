"""The kit's routes beside the mock server's own: expectations, readings and verdicts.

An adapter is tested from any framework and language: open a run, drive the adapter against its base
URL, post what it emitted, read findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web
from jsonschema import Draft202012Validator

from conformance.expectation.compiled import compiled
from conformance.expectation.story import stories
from conformance.expectation.traits import Traits
from conformance.judge import expectations, judge
from conformance.play import requests_of
from conformance.transcript import VERDICTS, Emitted, End, Transcript, end_of
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
    from mockserver.runs import Run


def routes() -> list[web.RouteDef]:
    """The routes to mount, below ``/_mock/``."""
    return [
        web.get("/_mock/expectations/{case:.+}", _expectation),
        web.post("/_mock/runs/{id}/reading", _reading),
        web.post("/_mock/runs/{id}/verdict", _verdict),
    ]


@dataclass(frozen=True, slots=True)
class _Posted:
    """What an adapter emitted, as a test in another framework posts it."""

    parts: list[Any]
    end: End | None
    vocabulary: str
    traits: Traits
    adapter: str


async def _expectation(request: web.Request) -> web.Response:
    """The compiled schema of a case; traits come as query parameters."""
    what = _case(request)
    traits = _traits(dict(request.query))
    return answer(_compiled(what, traits))


def _compiled(what: Case, traits: Traits) -> dict[str, Any]:
    accounts = expectations(what, stories(what.scenario), traits)
    return compiled([expected for _, expected in accounts])


async def _reading(request: web.Request) -> web.Response:
    run_named(request)
    posted = await _posted(request)
    return answer(VOCABULARIES[posted.vocabulary].read(posted.parts, posted.end).to_json())


async def _verdict(request: web.Request) -> web.Response:
    run = run_named(request)
    posted = await _posted(request)
    transcript = _transcript(run, posted)
    accounts = expectations(run.case, stories(run.case.scenario), posted.traits)
    findings = judge(transcript, accounts, posted.traits)
    failed = any(finding.level == "must" for finding in findings)
    return answer(
        {
            "case": str(run.case),
            "status": "failed" if failed else "passed",
            "findings": [finding.to_json() for finding in findings],
        }
    )


def _transcript(run: Run, posted: _Posted) -> Transcript:
    began = run.exchanges[0].at if run.exchanges else 0.0
    return Transcript(
        case=str(run.case),
        scenario=run.case.scenario.id,
        dialect=run.case.dialect,
        vocabulary=posted.vocabulary,
        adapter=posted.adapter,
        verdict=VERDICTS[posted.end.outcome] if posted.end else "hung",
        requests=requests_of(run, began),
        parts=tuple(Emitted(n, 0.0, part) for n, part in enumerate(posted.parts)),
        ends=(posted.end,) if posted.end else (),
    )


def _case(request: web.Request) -> Case:
    return case_named(request.app[STATE].catalogue, request.match_info["case"])


async def _posted(request: web.Request) -> _Posted:
    """Read and check what was posted. Raises UserError."""
    body = intake.decoded(await intake.received(request))
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
        _traits(body.get("traits", {})),
        str(body.get("adapter", "posted")),
    )


_KEYS = ("parts", "end", "vocabulary", "traits", "adapter")


def _only_known(values: Mapping[str, Any], known: Collection[str], what: str) -> None:
    for name in values:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UserError(Problem(f"unknown {what} {name[:80]!r}", hint=hint))


def _end(message: Any) -> End | None:
    if message is None:
        return None
    checked = {"id": "posted", **message} if isinstance(message, dict) else message
    error = next(Draft202012Validator(schema("driver")).iter_errors(checked), None)
    if error or checked.get("type") not in ("done", "error", "unsupported"):
        why = error.message[:200] if error else "it is no done, error or unsupported message"
        raise UserError(Problem(f"'end' is no ending: {why}", hint="see schemas/driver.json"))
    return end_of(checked, 1.0)


def _traits(values: Any) -> Traits:
    contract = schema("adapter")["properties"]["traits"]
    if isinstance(values, dict):
        _only_known(values, contract["properties"], "trait")
    error = next(Draft202012Validator(contract).iter_errors(values), None)
    if error:
        where = f"{error.path[0]}: " if error.path else ""
        raise UserError(f"not a trait: {where}{error.message[:200]}")
    return Traits.declared(values)
