"""Which case answers a request: its run's, or the one that the request chooses, or none and why.

A request chooses by its base URL, else by its model id, else by a header.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver.faults import Fault, nearest
from mockserver.render import case
from mockserver.scenario.case import parse
from mockserver.server.improviser import improvised
from mockserver.server.refusals import Refused
from mockserver.server.turns import Over, turn_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockserver.dialects import Dialect, Inbound
    from mockserver.render import Case
    from mockserver.scenario.catalogue import Catalogue, Entry
    from mockserver.server.address import Address
    from mockserver.server.runs import Run

HEADER = "x-mock-scenario"
MODEL_PREFIX = "mock/"

_MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """The turn of a case that answers, and why that one."""

    case: Case
    turn: int
    why: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a request may choose by; ``run`` is the open run that its base URL names.

    ``told_by`` gives the turn that the response with an id has answered.
    """

    dialect: Dialect
    address: Address
    inbound: Inbound
    header: str = ""
    run: Run | None = None
    told_by: Callable[[str], int | None] = lambda _: None


def choose(catalogue: Catalogue, request: Request) -> Choice:
    """The case and turn for a request. Raises Refused (404), explaining, where there is none."""
    if request.address.base == "run":
        return _turn(request, _of_run(request), "chosen by the run")
    for how, wanted in _wanted(request):
        entry, chosen = _find(catalogue, request.dialect, wanted, how)
        stale = "; its file is broken now, so the last good version plays" if entry.broken else ""
        return _turn(request, chosen, f"chosen by {how}{stale}")
    improvisation, why = improvised(request.inbound, request.dialect.name)
    return Choice(improvisation, 0, f"nothing was chosen: {why}")


def _turn(request: Request, chosen: Case, why: str) -> Choice:
    try:
        turn, told = turn_of(chosen.scenario.turns, request.inbound, request.told_by)
    except Over as over:
        raise Refused(400, f"no turn is left: {over}") from over
    return Choice(chosen, turn, f"{why}; {told}")


def _wanted(request: Request) -> Iterator[tuple[str, str]]:
    """What the request names, in order of precedence."""
    if request.address.base == "scenario":
        yield "the base URL", request.address.chosen
    if request.inbound.model.startswith(MODEL_PREFIX):
        yield "the model id", request.inbound.model.removeprefix(MODEL_PREFIX)
    if request.header:
        yield f"the header {HEADER}", request.header


def _of_run(request: Request) -> Case:
    run, dialect = request.run, request.dialect
    if run is None:
        raise Refused(
            404,
            f"no open run has the id {request.address.chosen[:80]!r}: it was closed, or another "
            "server opened it. POST /_mock/runs opens one",
        )
    if run.case.dialect != dialect.name:
        raise Refused(
            404,
            f"this run plays {run.case.dialect!r}; {_served(dialect)}",
        )
    return run.case


def _served(dialect: Dialect) -> str:
    return f"…/{dialect.operations[0]} is {dialect.name!r}"


def _find(catalogue: Catalogue, dialect: Dialect, wanted: str, how: str) -> tuple[Entry, Case]:
    try:
        id_ = parse(wanted)
    except Fault as fault:
        raise Refused(404, f"{fault}\n{_nearest(catalogue, dialect, wanted)}") from fault
    entry = catalogue.entry(id_.scenario)
    if entry is None:
        missing = f"no scenario is called {id_.scenario[:80]!r} ({how} names it)"
        raise Refused(404, f"{missing}\n{_nearest(catalogue, dialect, id_.scenario)}")
    if entry.scenario is None:
        raise Refused(404, f"the scenario {entry.id!r} cannot be played: {_broken(entry)}")
    try:
        chosen = case(entry.scenario, id_, dialect.name)
    except Fault as fault:
        raise Refused(404, str(fault)) from fault
    if chosen.dialect != dialect.name:
        raise Refused(
            404,
            f"{wanted!r} asks for {chosen.dialect!r}; {_served(dialect)}",
        )
    return entry, chosen


def _nearest(catalogue: Catalogue, dialect: Dialect, wanted: str) -> str:
    ids = catalogue.ids()
    same_end = [id_ for id_ in ids if id_.endswith(f"/{wanted}")]
    close = dict.fromkeys([*same_end, *nearest(wanted, ids, _MOST_NEAR)])
    lines = [
        f"  {id_}: {_why_not(entry, dialect)}"
        for id_ in list(close)[:_MOST_NEAR]
        if (entry := catalogue.entry(id_))
    ]
    listed = f"GET /_mock/scenarios lists all {len(ids)}"
    return "\n".join(["the nearest are", *lines, listed] if lines else [f"none is near; {listed}"])


def _why_not(entry: Entry, dialect: Dialect) -> str:
    if entry.scenario is None:
        return _broken(entry)
    if dialect.name not in entry.scenario.dialects:
        if why := entry.scenario.unable.get(dialect.name):
            return f"is not played in {dialect.name}: {why}"
        speaks = ", ".join(entry.scenario.dialects)
        return f"does not speak {dialect.name} (it speaks {speaks})"
    return "its name differs"


def _broken(entry: Entry) -> str:
    return f"its file is broken: {entry.broken}"
