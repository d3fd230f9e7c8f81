"""Scenarios as JSON for the control interface: their metadata and the events they would send."""

from dataclasses import asdict
from typing import Any

from mockserver.cases.case import Case
from mockserver.cases.catalogue import Entry
from mockserver.cases.render import Rendered, Renderings
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Problem
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
from mockserver.server.journal import answer_to_json
from mockserver.wire.slots import fill_json

_KINDS: dict[type, str] = {
    ExpectText: "text",
    ExpectReasoning: "reasoning",
    ExpectRefusal: "refusal",
}


def summary(entry: Entry) -> dict[str, Any]:
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


def details(entry: Entry, renderings: Renderings) -> dict[str, Any]:
    """The metadata of a scenario, its turns, and the events that each dialect would send."""
    scenario = entry.scenario
    more = _more(scenario, renderings) if scenario else {}
    return {**summary(entry), "file": str(entry.path), **more}


def _more(scenario: Scenario, renderings: Renderings) -> dict[str, Any]:
    return {
        "about": scenario.about,
        "source": list(scenario.source),
        "seen": list(scenario.seen),
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
    place = problem.place
    return {
        "message": problem.message,
        "file": place.file if place else None,
        "line": place.line if place else 0,
        "column": place.column if place else 0,
        "hint": problem.hint,
    }


def _expect(expect: Expect) -> dict[str, Any]:
    return {
        "parts": [_part(part) for part in expect.parts],
        "outcome": expect.outcome,
        "reason": expect.reason,
        "error": asdict(expect.error) if expect.error else None,
        "at": {name: asdict(at) for name, at in expect.at.items()},
    }


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
