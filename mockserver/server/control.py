"""The control interface under ``/_mock/``: the catalogue, runs and the journal as JSON.

It is protected from web pages, since browsers can reach loopback servers. A page from elsewhere can
send requests here in two ways. With DNS rebinding, the page's own host name resolves to this
machine; then the Host header still has that name. And a form can post to any address; but a form
cannot set the content type to JSON.
"""

import asyncio
import ipaddress
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from aiohttp import web

from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.cases.render import Rendered, Renderings
from mockserver.cases.search import near_ids
from mockserver.dialects import DIALECTS
from mockserver.foundation import __version__
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.proxies import is_local
from mockserver.scenario.expected import (
    Expect,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectPart,
    ExpectReasoning,
    ExpectRefusal,
    ExpectText,
)
from mockserver.scenario.model import Scenario
from mockserver.server.answers import Missing, answer, error
from mockserver.server.journal import answer_to_json
from mockserver.server.request_body import parse_json, read_body
from mockserver.server.runs import Run, check_keys, parse_offers
from mockserver.server.state import STATE
from mockserver.wire.files import ROUTE, file_at
from mockserver.wire.slots import fill_json

PREFIX = "/_mock"

_MAX_BYTES = 4 << 20
_RUN_KEYS = ("case", "scenario", "when", "cases", "default")
_LISTED = 100
_MAX_LISTED = 1000
_NUMBER = re.compile("[0-9]{1,4}")
_SANDBOX = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}

_KINDS: dict[type, str] = {
    ExpectText: "text",
    ExpectReasoning: "reasoning",
    ExpectRefusal: "refusal",
}

BOUND = web.AppKey("bound", str)


def routes() -> list[web.RouteDef]:
    """The routes of the control interface that every server has."""
    return [
        web.get(f"{PREFIX}/health", _health),
        web.get(f"{PREFIX}/scenarios", _scenarios),
        web.get(f"{PREFIX}/scenarios/{{id:.+}}", _scenario),
        web.post(f"{PREFIX}/runs", _open_run),
        web.get(f"{PREFIX}/runs", _runs),
        web.get(f"{PREFIX}/runs/{{id}}", _run),
        web.delete(f"{PREFIX}/runs/{{id}}", _close_run),
        web.get(f"{PREFIX}/runs/{{id}}/journal", _run_journal),
        web.get(f"{PREFIX}/journal", _journal),
        web.get(ROUTE, _file),
    ]


async def _file(request: web.Request) -> web.Response:
    """A file that a scenario gives by its URL.

    Anyone can write such a URL, so a browser that opens it gets no page of this origin.
    """
    if (file := file_at(request.rel_url.raw_path)) is None:
        raise Missing("the path does not hold a file in base64url")
    return web.Response(body=file.content, headers={"Content-Type": file.media_type, **_SANDBOX})


async def _read_run(request: web.Request) -> tuple[Any, bool]:
    """The cases in the body of a request for a run, and whether it is to be the default run.

    Raises UserError if the body has another key or no cases, and Refused if it is not JSON.
    """
    body = parse_json(await read_body(request, _MAX_BYTES))
    if not isinstance(body, dict):
        raise UserError("the body is not a JSON object")
    check_keys(body, _RUN_KEYS, "a run")
    if not isinstance(default := body.pop("default", False), bool):
        raise UserError("'default' is true or false")
    if ("cases" in body) == ("case" in body or "scenario" in body):
        what = "'cases' stands beside a case" if "cases" in body else "the key 'case' is missing"
        raise UserError(Problem(what, hint="it has 'case', 'scenario' or 'cases'"))
    if not isinstance(body.get("case", ""), str):
        raise UserError("'case' is not a string")
    return body.get("cases", [body]), default


async def find_run(request: web.Request) -> Run:
    """The open run whose id is in the path. Raises Missing if there is none."""
    id_ = request.match_info["id"]
    if run := await request.app[STATE].store.run(id_):
        return run
    raise Missing(
        Problem(f"no open run has the id {id_[:80]!r}", hint=f"POST {PREFIX}/runs opens one")
    )


async def _health(request: web.Request) -> web.Response:
    await request.app[STATE].store.check()
    return answer({"ok": True, "name": "streamproof", "version": __version__})


async def _scenarios(request: web.Request) -> web.Response:
    catalogue = request.app[STATE].catalogue
    found = []
    for entry in catalogue.entries():
        found.append(_summary(entry))
        # Reading a file may take a while; let the open streams go on between two files.
        await asyncio.sleep(0)
    return answer({"scenarios": found})


async def _scenario(request: web.Request) -> web.Response:
    state = request.app[STATE]
    entry = _entry(state.catalogue, request.match_info["id"])
    more = _details(entry.scenario, state.renderings) if entry.scenario else {}
    return answer({**_summary(entry), "file": str(entry.path), **more})


def _entry(catalogue: Catalogue, id_: str) -> Entry:
    if entry := catalogue.entry(id_):
        return entry
    near = near_ids(id_, catalogue.ids())
    listed = f"'streamproof list' and GET {PREFIX}/scenarios have them all"
    hint = f"the nearest are {', '.join(near)}" if near else listed
    raise Missing(Problem(f"no scenario is called {id_[:80]!r}", hint=hint))


async def _open_run(request: web.Request) -> web.Response:
    wanted, default = await _read_run(request)
    state = request.app[STATE]
    offers = parse_offers(wanted, partial(find_case, state.catalogue))
    run = _facts(request, await state.store.open_run(offers, default))
    return answer({key: run[key] for key in run if key != "requests"}, 201)


def find_case(catalogue: Catalogue, wanted: str) -> Case:
    """The case with this id. Raises Missing or the Fault that prevents playing it."""
    id_ = parse(wanted)
    entry = _entry(catalogue, id_.scenario)
    if entry.scenario is None:
        assert entry.broken is not None
        raise entry.broken
    return make_case(entry.scenario, id_)


async def _runs(request: web.Request) -> web.Response:
    newest = await request.app[STATE].store.runs(_limit(request))
    return answer({"runs": [_facts(request, run) for run in newest]})


async def _run(request: web.Request) -> web.Response:
    run = await request.app[STATE].store.load_exchanges(await find_run(request))
    return answer(_facts(request, run))


async def _close_run(request: web.Request) -> web.Response:
    run = await find_run(request)
    await request.app[STATE].store.close_run(run)
    return answer(_facts(request, run))


def _facts(request: web.Request, run: Run) -> dict[str, Any]:
    """A run as JSON data; its host is that of the request, as ports may be mapped."""
    return run.to_json(f"{request.scheme}://{request.host}")


async def _run_journal(request: web.Request) -> web.Response:
    run = await request.app[STATE].store.load_exchanges(await find_run(request))
    exchanges = [{**each.to_json(), "events": list(each.events())} for each in run.exchanges]
    return answer({"id": run.id, "exchanges": exchanges, "dropped": run.dropped})


async def _journal(request: web.Request) -> web.Response:
    page = await request.app[STATE].store.journal(_limit(request))
    exchanges = [exchange.to_json() for exchange in page.exchanges]
    notes = {"notes": list(page.notes)} if page.notes else {}
    return answer({"exchanges": exchanges, **notes})


def _limit(request: web.Request) -> int:
    text = request.query.get("limit", str(_LISTED))
    limit = int(text) if _NUMBER.fullmatch(text) else 0
    if not 1 <= limit <= _MAX_LISTED:
        raise UserError(f"limit={text[:20]!r} is not a number from 1 to {_MAX_LISTED:,}")
    return limit


def is_trusted(host_header: str, bound: str) -> bool:
    """Whether a Host header names a loopback address or the address that the server is bound to.

    A server bound to all addresses trusts every IP address: DNS rebinding needs a host name.
    """
    header = host_header.lower()
    bracketed = header.startswith("[")
    host = header[1:].partition("]")[0] if bracketed else header.partition(":")[0].rstrip(".")
    if host == bound.lower() or is_local(host):
        return True
    with suppress(ValueError):
        ipaddress.ip_address(host)
        return bound in ("0.0.0.0", "::")  # noqa: S104 (not bound to)
    return False


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Middleware that refuses control requests which a web page may have sent."""
    resource = request.match_info.route.resource
    # The matched route decides, since a path has many spellings.
    if resource is None or not resource.canonical.startswith(PREFIX):
        return await handler(request)
    if not is_trusted(request.headers.get("Host", ""), request.app[BOUND]):
        host = request.headers.get("Host", "")[:100]
        message = f"the control interface does not answer to the host {host!r}"
        hint = "use 127.0.0.1, localhost, or the name given as --host"
        return error(403, "the request", message, hint)
    if request.method == "POST" and request.content_type != "application/json":
        message = f"the body is {request.content_type[:100]!r}; application/json is expected"
        hint = "send the header Content-Type: application/json"
        return error(415, "the request", message, hint)
    return await handler(request)


def _summary(entry: Entry) -> dict[str, Any]:
    """The metadata of a scenario; of its last good version if the file is broken, with problems."""
    scenario = entry.scenario
    broken = entry.broken.problems if entry.broken else ()
    return {
        "id": entry.id,
        "title": scenario.title if scenario else None,
        "dialects": list(scenario.dialects) if scenario else [],
        "unable": dict(scenario.unable) if scenario else {},
        "conduct": scenario.conduct if scenario else None,
        "problems": [_problem(problem) for problem in broken],
    }


def _details(scenario: Scenario, renderings: Renderings) -> dict[str, Any]:
    """What is known of a scenario, its turns, and the events that each dialect would send."""
    return {
        "about": scenario.about,
        "source": list(scenario.source),
        "seen": [asdict(each) for each in scenario.seen],
        "reports": list(scenario.reports),
        "turns": [
            {"attempts": [_attempt(scenario, n, k, renderings) for k in range(len(turn.attempts))]}
            for n, turn in enumerate(scenario.turns)
        ],
    }


def _attempt(scenario: Scenario, turn: int, n: int, renderings: Renderings) -> dict[str, Any]:
    return {
        "expect": [_expect(expect) for expect in scenario.turns[turn].attempts[n].expect],
        "plays": {
            dialect: _plays(renderings.get(Case(scenario, dialect), turn, n + 1), dialect)
            for dialect in scenario.dialects
        },
    }


def _plays(rendered: Rendered, dialect: str) -> dict[str, Any]:
    """What is sent for one turn: a plain HTTP answer, or a stream of events."""
    if rendered.answer is not None:
        return {"status": rendered.answer.status, **answer_to_json(rendered.answer)}
    plan = rendered.plan
    sample = DIALECTS[dialect].sample()
    return {
        "events": [
            {
                "n": sent.n,
                "at": sent.at,
                "kind": sent.kind,
                "type": sent.type,
                "data": fill_json(sent.data, sample),
                "ignorable": sent.ignorable,
            }
            for sent in plan.sent
        ],
        "close": plan.close,
        "closes_at": plan.closes_at,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    place = asdict(problem.place) if problem.place else {"file": None, "line": 0, "column": 0}
    return {"message": problem.message, **place, "hint": problem.hint}


def _expect(expect: Expect) -> dict[str, Any]:
    found = asdict(expect)
    del found["choices"]
    return {**found, "parts": [_part(part) for part in expect.parts]}


def _part(part: ExpectPart) -> dict[str, Any]:
    """An expected part in the notation of scenario files."""
    match part:
        case ExpectCall():
            return {"call": {name: value for name, value in asdict(part).items() if value != ""}}
        case ExpectCite():
            return {"cite": part.citation.fields()}
        case ExpectData():
            by_url = {"by_url": True} if part.by_url else {}
            return {"data": {"mimeType": part.mime_type, "data": part.data, **by_url}}
    return {_KINDS[type(part)]: part.value}
