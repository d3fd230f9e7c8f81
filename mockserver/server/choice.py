"""Chooses the case and the turn that answer a request, or explains why there is none.

A request to a run gets the case of the run. Any other request chooses by its base URL, else by its
model id, else by a header; without a choice, the answer is improvised.

The turn is derived from the contents of the request and never from a counter. So a repeated request
gets the same turn again, and parallel conversations do not affect each other.

Load tests ask for the same answer thousands of times, so what was chosen and rendered for a request
is remembered. Only requests outside of runs are, and only if nothing but the request and the
scenario's file decides on the answer: a request that goes on from an earlier response depends on
that one, too.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.cases.render import Rendered
from mockserver.cases.search import find_named, near_ids
from mockserver.dialects import Dialect, Inbound
from mockserver.dialects.conversation import (
    ApprovalResponse,
    Message,
    ToolCall,
    ToolResult,
    is_from_model,
    model_turns,
)
from mockserver.dialects.conversation import Entry as ConversationEntry
from mockserver.foundation.faults import Fault
from mockserver.foundation.identity import Same
from mockserver.scenario.model import Scenario, Then, Turn
from mockserver.server.address import Address
from mockserver.server.answers import Refused
from mockserver.server.request_body import Parsed
from mockserver.server.runs import Offer, Run
from mockserver.wire.slots import fill_some

HEADER = "x-mock-scenario"
MODEL_PREFIX = "mock/"

_MAX_NEAR = 3
_MAX_CASES = 512
_MAX_CHOICES = 256
_LONGEST = 120
_MAX_PREFILLED = 64 << 10
_log = logging.getLogger("streamproof.server")


class Choice(NamedTuple):
    """The case and the number of the turn that answer a request, and why.

    ``entry`` is the scenario's file, if it was found in the catalogue.
    """

    case: Case
    turn: int
    why: str
    entry: Entry | None = None


class Request(NamedTuple):
    """What a choice depends on; ``run`` is the open run that the base URL names.

    ``turn_of_response`` maps the id of a response to the turn that it was for, or to None.
    """

    dialect: Dialect
    address: Address
    inbound: Inbound
    header: str = ""
    run: Run | None = None
    turn_of_response: Callable[[str], int | None] = lambda _: None


def choose(catalogue: Catalogue, request: Request) -> Choice:
    """The case and turn for a request. Raises Refused, with the reason, if there is none."""
    if request.address.base == "run":
        return _choose_turn(request, *_choose_in_run(request))
    for how, wanted in _list_wanted(request):
        entry, chosen = _find(catalogue, request.dialect, wanted, how)
        stale = "; its file is broken now, so the last good version plays" if entry.broken else ""
        return _choose_turn(request, chosen, f"chosen by {how}{stale}")._replace(entry=entry)
    # What makes examples of schemas is imported by its first use: a server starts sooner.
    from mockserver.server.improviser import improvise

    improvisation, why = improvise(request.inbound, request.dialect.name)
    meant = _explain_near_model(catalogue, request.dialect, request.inbound.model)
    return Choice(improvisation, 0, f"nothing was chosen{meant}: {why}")


@lru_cache(maxsize=_MAX_CASES)
def _find_near(ids: tuple[str, ...], model: str) -> tuple[str, ...]:
    return tuple(near_ids(model, ids) if "/" in model else find_named(model, ids))


@lru_cache(maxsize=_MAX_CASES)
def _log_once(model: str, id_: str) -> None:
    _log.warning("the model %r chooses no scenario; %s%s does", model, MODEL_PREFIX, id_)


def _explain_near_model(catalogue: Catalogue, dialect: Dialect, model: str) -> str:
    """A clause that names the scenario whose id the model nearly is; it is logged once.

    The request is not refused, since some upstreams have models with slashes in their ids.
    """
    model = model[:_LONGEST]
    near = _find_near(tuple(catalogue.ids()), model) if model else ()
    for id_ in near:
        entry = catalogue.entry(id_)
        if entry and entry.scenario and dialect.name in entry.scenario.dialects:
            _log_once(model, id_)
            return f", though the model is nearly {MODEL_PREFIX}{id_}"
    return ""


def _choose_turn(request: Request, chosen: Case, why: str) -> Choice:
    turn, reason = find_turn(chosen.scenario.turns, request.inbound, request.turn_of_response)
    return Choice(chosen, turn, f"{why}; {reason}")


def _list_wanted(request: Request) -> Iterator[tuple[str, str]]:
    """How the request chooses a case, and the id that it gives, in order of precedence."""
    if request.address.base == "scenario":
        yield "the base URL", request.address.chosen
    if request.inbound.model.startswith(MODEL_PREFIX):
        yield "the model id", request.inbound.model.removeprefix(MODEL_PREFIX)
    if request.header:
        yield f"the header {HEADER}", request.header


def _choose_in_run(request: Request) -> tuple[Case, str]:
    """The case that a run plays for a request, and why."""
    run, dialect = request.run, request.dialect
    if run is None:
        missing = f"no open run has the id {request.address.chosen[:80]!r}"
        why = "it was closed, or another server opened it. POST /_mock/runs opens one"
        raise Refused(404, f"{missing}: {why}")
    if run.offers:
        return _choose_offer(run.offers, request.inbound, dialect)
    if run.case.dialect != dialect.name:
        raise Refused(404, f"this run plays {run.case.dialect!r}; {_name_operation(dialect)}")
    return run.case, "chosen by the run"


def _name_operation(dialect: Dialect) -> str:
    return f"…/{dialect.requests.operations[0]} is {dialect.name!r}"


def _choose_offer(offers: Sequence[Offer], inbound: Inbound, dialect: Dialect) -> tuple[Case, str]:
    """The case that a request gets, and why. Raises Refused with the reason against each."""
    against = []
    for offer in offers:
        if why := offer.when.why_not(inbound):
            against.append(f"{offer.named}: {why}")
            continue
        try:
            played = offer.in_dialect(dialect.name)
        except Fault as fault:
            against.append(f"{offer.named}: {fault}")
            continue
        if played.dialect == dialect.name:
            return played, "chosen by the run" if len(offers) == 1 else "chosen among the run's"
        plays = f"this run plays it in {played.dialect!r}"
        against.append(f"{offer.named}: {plays}; {_name_operation(dialect)}")
    raise Refused(404, "\n".join(["this run has no case for the request", *against]))


def _find(catalogue: Catalogue, dialect: Dialect, wanted: str, how: str) -> tuple[Entry, Case]:
    try:
        id_ = parse(wanted)
    except Fault as fault:
        raise Refused(404, f"{fault}\n{_list_nearest(catalogue, dialect, wanted)}") from fault
    entry = catalogue.entry(id_.scenario)
    if entry is None:
        missing = f"no scenario is called {id_.scenario[:80]!r} ({how} names it)"
        raise Refused(404, f"{missing}\n{_list_nearest(catalogue, dialect, id_.scenario)}")
    if entry.scenario is None:
        raise Refused(404, f"the scenario {entry.id!r} cannot be played: {_explain_broken(entry)}")
    try:
        chosen = _case(Same(entry.scenario), wanted, dialect.name)
    except Fault as fault:
        raise Refused(404, str(fault)) from fault
    if chosen.dialect != dialect.name:
        raise Refused(404, f"{wanted!r} asks for {chosen.dialect!r}; {_name_operation(dialect)}")
    return entry, chosen


# A suite asks for the same case again and again.
@lru_cache(maxsize=_MAX_CASES)
def _case(scenario: Same[Scenario], wanted: str, dialect: str) -> Case:
    return make_case(scenario.value, parse(wanted), dialect)


def _list_nearest(catalogue: Catalogue, dialect: Dialect, wanted: str) -> str:
    ids = catalogue.ids()
    same_end = [id_ for id_ in ids if id_.endswith(f"/{wanted}")]
    close = dict.fromkeys([*same_end, *near_ids(wanted, ids, _MAX_NEAR)])
    lines = [
        f"  {id_}: {_why_not(entry, dialect)}"
        for id_ in list(close)[:_MAX_NEAR]
        if (entry := catalogue.entry(id_))
    ]
    listed = f"GET /_mock/scenarios lists all {len(ids)}"
    return "\n".join(["the nearest are", *lines, listed] if lines else [f"none is near; {listed}"])


def _why_not(entry: Entry, dialect: Dialect) -> str:
    if entry.scenario is None:
        return _explain_broken(entry)
    if dialect.name not in entry.scenario.dialects:
        if why := entry.scenario.unable.get(dialect.name):
            return f"is not played in {dialect.name}: {why}"
        speaks = ", ".join(entry.scenario.dialects)
        return f"does not speak {dialect.name} (it speaks {speaks})"
    return "its name differs"


def _explain_broken(entry: Entry) -> str:
    return f"its file is broken: {entry.broken}"


def find_turn(
    turns: Sequence[Turn], inbound: Inbound, turn_of_response: Callable[[str], int | None]
) -> tuple[int, str]:
    """The number of the turn that answers, and why.

    ``turn_of_response`` maps the id of a response to the turn that it was for, or to None. Raises
    Refused if the conversation already contains all turns.
    """
    if len(turns) == 1:
        return 0, "turn 0 is its only one"
    turn, why = _next_turn(turns, inbound, turn_of_response)
    if turn >= len(turns):
        raise Refused(400, f"no turn is left: the scenario has {len(turns)} turns, and {why}")
    return turn, f"turn {turn}: {why}"


def _next_turn(
    turns: Sequence[Turn], inbound: Inbound, turn_of_response: Callable[[str], int | None]
) -> tuple[int, str]:
    entries = inbound.conversation
    if inbound.previous and (before := turn_of_response(inbound.previous)) is not None:
        return before + 1, f"it goes on from the response of turn {before}"
    for n in range(len(turns) - 1, 0, -1):
        if (then := turns[n - 1].then) and (last := _find_host_step_end(then, entries)) is not None:
            spoken = model_turns(entries[last + 1 :])
            more = ", and the model has spoken since" if spoken else ""
            return n + spoken, f"what the host answers turn {n - 1} is there{more}"
    if spoken := model_turns(entries):
        return spoken, f"the model has spoken {spoken} time{'s' if spoken > 1 else ''}"
    return 0, "the conversation begins"


def _find_host_step_end(then: Then, entries: Sequence[ConversationEntry]) -> int | None:
    """The index of the last entry that ``then`` asks of the host; None if one is missing."""
    at = {e.id: n for n, e in enumerate(entries) if isinstance(e, ToolResult)}
    # By the names of the tools too, for calls to which the upstream gave no id.
    named = {e.name: at[e.id] for e in entries if isinstance(e, ToolCall) and e.id in at}
    places = [at.get(key, named.get(key)) for key in then.answered_calls]
    answers = {e.id: n for n, e in enumerate(entries) if isinstance(e, ApprovalResponse)}
    places += [answers.get(id_) for id_ in then.approvals]
    if then.user:
        places.append(_find_last_prompt(then.user, entries))
    known = [place for place in places if place is not None]
    return max(known) if known and len(known) == len(places) else None


def _find_last_prompt(text: str, entries: Sequence[ConversationEntry]) -> int | None:
    """The index of the last user message with this text after a turn of the model, if any."""
    for n in range(len(entries) - 1, -1, -1):
        entry = entries[n]
        if isinstance(entry, Message) and (entry.role, entry.text) == ("user", text):
            return n if any(map(is_from_model, entries[:n])) else None
    return None


class Chosen(NamedTuple):
    """A choice, the attempt at its turn that a request is, and the turn as rendered for it.

    ``case`` is the id of its case, and ``why`` the reason as the journal has it.
    """

    choice: Choice
    attempt: int
    rendered: Rendered
    case: str
    why: str


Asked = tuple[Address, Parsed, str, str]
"""What decides on an answer: the address, the parsed request, and the headers that count."""


class ChoiceCache:
    """The newest choices, by the requests that they answered; bounded in number."""

    def __init__(self) -> None:
        # With what was asked, so that no other object gets the identity of its parts.
        self._kept: OrderedDict[tuple[int, int, str, str], tuple[Asked, Chosen]] = OrderedDict()

    def get(self, asked: Asked) -> Chosen | None:
        """What was chosen for such a request; None if it is not known."""
        known = self._kept.get(_identify(asked))
        return known[1] if known else None

    def keep(self, asked: Asked, chosen: Chosen) -> None:
        """Remember a choice, with the values that the answer repeats of its request filled in."""
        rendered, echo = chosen.rendered, asked[1].echo
        if rendered.plan.size <= _MAX_PREFILLED:
            prefilled = rendered.plan.map(lambda pieces: fill_some(pieces, echo))
            chosen = chosen._replace(rendered=replace(rendered, plan=prefilled))
        self._kept[_identify(asked)] = asked, chosen
        if len(self._kept) > _MAX_CHOICES:
            self._kept.popitem(last=False)


def _identify(asked: Asked) -> tuple[int, int, str, str]:
    """Equal for equal requests, since the same bytes are parsed once to the same objects."""
    address, parsed, scenario, retries = asked
    return id(address), id(parsed), scenario, retries
