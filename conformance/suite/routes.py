"""The kit's routes, mounted beside the mock server's own: expectations, readings and verdicts.

With them an adapter can be tested from any framework and language: open a run, drive the adapter
against its base URL, post the parts that it emitted, and read the findings.
"""

import time
from dataclasses import replace
from typing import Any

from aiohttp import web

from conformance.contract.traits import parse_traits
from conformance.contract.transcript import RELEASE_SECONDS
from conformance.expectation.early_endings import as_cancelled, refusals
from conformance.expectation.projection import expectations
from conformance.expectation.reading_schema import compile_schema
from conformance.suite.posted import read_posted, turn_number, verdict_of
from conformance.vocabularies import VOCABULARIES
from mockserver.foundation.faults import Problem, UserError
from mockserver.server.answers import answer
from mockserver.server.control import find_case, find_run
from mockserver.server.request_body import parse_json, read_body
from mockserver.server.runs import Run
from mockserver.server.state import STATE


def routes() -> list[web.RouteDef]:
    """The routes to mount; all paths begin with ``/_mock/``."""
    return [
        web.get("/_mock/expectations/{case:.+}", _expectation),
        web.post("/_mock/runs/{id}/reading", _reading),
        web.post("/_mock/runs/{id}/verdict", _verdict),
    ]


async def _expectation(request: web.Request) -> web.Response:
    """The expectation of a case as a JSON Schema; query parameters: traits, cancelled and turn."""
    case = find_case(request.app[STATE].catalogue, request.match_info["case"])
    query = dict(request.query)
    cancelled = query.pop("cancelled", "false")
    if cancelled not in ("true", "false"):
        raise UserError(f"cancelled is true or false, not {cancelled!r:.80}")
    turn = query.pop("turn", "0")
    played = turn_number(int(turn) if turn.isdecimal() and len(turn) < 4 else turn, case)
    traits = parse_traits(query)
    right = expectations(case, traits, played)
    if cancelled == "true":
        return answer(compile_schema([as_cancelled(expected) for _, expected in right]))
    refused = refusals(case, right, traits)
    return answer(compile_schema([expected for _, expected in [*right, *refused]]))


async def _reading(request: web.Request) -> web.Response:
    posted = read_posted(await _body(request), (await find_run(request)).case)
    vocabulary = VOCABULARIES[posted.vocabulary].with_traits(posted.traits)
    return answer(vocabulary.read(posted.parts, posted.end).to_json())


async def _verdict(request: web.Request) -> web.Response:
    run = await find_run(request)
    moment = time.monotonic()
    run = await _answered(request, run)
    posted = read_posted(body := await _body(request), run.case)
    # As in a run of the suite: the client of a cancelled run has ``RELEASE_SECONDS`` to disconnect.
    settle = 0.0 if posted.cancelled is None else RELEASE_SECONDS
    run = await request.app[STATE].store.load_exchanges(run, settle)
    if body.get("turn") is None:
        _check_is_of_one_turn(run)
    return answer(verdict_of(run, posted, moment))


def _check_is_of_one_turn(run: Run) -> None:
    """Raises UserError if a run has played several turns: the parts may be of any of them."""
    turns = sorted({each.turn for each in run.exchanges if each.turn is not None})
    if len(turns) > 1:
        named = " and ".join(map(str, turns))
        hint = f"say of which turn the parts are: turn={turns[-1]} in Python, else 'turn'"
        raise UserError(Problem(f"this run has played the turns {named}", hint=hint))


async def _answered(request: web.Request, run: Run) -> Run:
    """The run with the case that its requests were answered with, if it may play several.

    Raises UserError if there were several; requests that were not answered do not count.
    """
    if not run.offers:
        return run
    exchanges = (await request.app[STATE].store.load_exchanges(run)).exchanges
    played = dict.fromkeys(each.case for each in exchanges if each.turn is not None)
    if len(played) > 1:
        hint = "open a run for each, and post the parts of each to its own"
        raise UserError(Problem(f"this run has played {' and '.join(played)}", hint=hint))
    return replace(run, case=run.find_case(next(iter(played), "")))


async def _body(request: web.Request) -> Any:
    return parse_json(await read_body(request))
