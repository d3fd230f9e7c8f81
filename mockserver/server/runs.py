"""Runs: each plays a case at its own base URL, so that many can be open in parallel.

A run of one case has one offer without a condition. A run may have several offers, as other mocks
match requests: the first whose condition holds answers. The scenario of a case is in the catalogue,
or it comes with the request that opens the run.
"""

import asyncio
import secrets
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.load import load, scenario_of
from mockserver.dialects import Inbound
from mockserver.dialects.conversation import last_user_text
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.scenario.source import plain_tree
from mockserver.server.journal import Exchange
from mockserver.wire.playback import Gatekeeper

_MAX_OFFERS = 64
_LONGEST = 200
_SHOWN = 80
_TOKEN_BYTES = 9
_MAX_EXCHANGES = 64
_MAX_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Condition:
    """What a request must contain; empty fields are not checked.

    ``message`` is a part of the last user message's text, ``tool`` the name of a tool that is
    offered, and ``model`` the model's name, in which ``*`` is any text.
    """

    message: str = ""
    tool: str = ""
    model: str = ""

    def why_not(self, inbound: Inbound) -> str:
        """Why the condition does not hold for a request; empty if it does."""
        offered = [name for name, _ in inbound.tools or ()]
        if self.message not in (last := last_user_text(inbound.conversation)):
            return f"the last user message lacks {self.message!r}: {last[:_SHOWN]!r}"
        if self.tool and self.tool not in offered:
            return f"no tool {self.tool!r} is offered, but {', '.join(offered)[:_SHOWN] or 'none'}"
        if self.model and not fnmatchcase(inbound.model, self.model):
            return f"the model {inbound.model[:_SHOWN]!r} is not {self.model!r}"
        return ""

    def to_json(self) -> dict[str, str]:
        """The parts that are not empty."""
        return {name: text for name in _KEYS if (text := getattr(self, name))}


_KEYS = ("message", "tool", "model")
# The id of a case whose scenario has no name.
_OWN = "scenario"


@dataclass(frozen=True, slots=True)
class Offer:
    """A case, and the condition on which a request gets it.

    ``named`` is the case's id as it was written. Without a dialect in it, the case is played in the
    dialect of the request, and ``case`` is the one in the scenario's first dialect. ``own`` is
    whether the scenario came with the request for the run, and is not in the catalogue.
    """

    case: Case
    named: str
    when: Condition = field(default_factory=Condition)
    own: bool = False

    def in_dialect(self, dialect: str) -> Case:
        """The case in the dialect of a request, if none is named. Raises Fault if there is none."""
        return make_case(self.case.scenario, parse(self.named), dialect)

    @property
    def dialects(self) -> frozenset[str]:
        """The dialects in whose requests the case may be played."""
        named = parse(self.named).dialect
        return frozenset([named] if named else self.case.scenario.dialects)

    def to_json(self) -> dict[str, Any]:
        """The offer as it was asked for."""
        return {"case": self.named, "when": self.when.to_json()}


def parse_offers(value: Any, find: Callable[[str], Case]) -> tuple[Offer, ...]:
    """The offers in the ``cases`` of a request for a run; ``find`` raises a Fault for no case.

    Raises UserError if the value is no list of them.
    """
    if isinstance(value, list) and len(value) > _MAX_OFFERS:
        raise UserError(f"a run has at most {_MAX_OFFERS} cases, and {len(value)} are named")
    if not isinstance(value, list) or not value:
        hint = '{"cases": [{"case": "any/refusal", "when": {"message": "bomb"}}, …]}'
        raise UserError(Problem(f"'cases' is a list of 1 to {_MAX_OFFERS} cases", hint=hint))
    offers = tuple(_parse_offer(each, find) for each in value)
    for before, offer in combinations(offers, 2):
        if before.when == Condition() and offer.dialects <= before.dialects:
            hint = "a case without a condition stands last; for several tests open a run for each"
            message = f"{offer.named} would never answer, since {before.named} has no condition"
            raise UserError(Problem(message, hint=hint))
    return offers


def _parse_offer(value: Any, find: Callable[[str], Case]) -> Offer:
    entry = {"case": value} if isinstance(value, str) else value
    if isinstance(entry, dict) and "scenario" in entry:
        entry = {"case": _OWN, **entry}
    if not isinstance(entry, dict) or not isinstance(named := entry.get("case"), str):
        raise UserError("an entry of 'cases' is a case's id, or has the key 'case' or 'scenario'")
    check_keys(entry, ("case", "scenario", "when"), "an entry of 'cases'")
    when = entry.get("when", {})
    if not isinstance(when, dict) or not all(isinstance(text, str) for text in when.values()):
        raise UserError("a condition has texts under the keys message, tool and model")
    check_keys(when, _KEYS, "a condition")
    for name, text in when.items():
        if len(text) > _LONGEST:
            raise UserError(f"{name!r} in a condition is longer than {_LONGEST} characters")
    own = "scenario" in entry
    found = own_case(entry["scenario"], named) if own else find(named)
    return Offer(found, named, Condition(**when), own)


def own_case(scenario: Any, named: str) -> Case:
    """The case of a scenario that is an object, or the text of a file; ``named`` is the case's id.

    Raises ScenarioError, or UserError if the scenario is neither.
    """
    id_ = parse(named)
    if isinstance(scenario, str):
        return make_case(load(scenario.encode(), f"{id_.scenario}.yaml", id_.scenario), id_)
    if isinstance(scenario, dict):
        return make_case(scenario_of(plain_tree(scenario, id_.scenario), id_.scenario), id_)
    raise UserError("'scenario' is an object, or the text of a YAML file")


def check_keys(value: dict[str, Any], known: Sequence[str], what: str) -> None:
    """Raises UserError if an object has a key that is not known."""
    for key in value:
        if key not in known:
            hint = did_you_mean(key, known)
            raise UserError(Problem(f"unknown key {key[:_SHOWN]!r} in {what}", hint=hint))


@dataclass(slots=True)
class Run:
    """A case at its own URL. The id is random, so only requests of this run can have it.

    With ``offers`` the request decides which case it gets, and in which dialect; ``case`` is that
    of the first. Without them every request gets ``case``. The ``default`` run gets the requests
    whose URL names no scenario and no run.
    ``before_another`` is awaited before a request that is not the first of the run is noted.
    ``dropped`` counts the requests whose exchanges are not kept here.
    """

    id: str
    case: Case
    gatekeeper: Gatekeeper | None = None
    offers: tuple[Offer, ...] = ()
    default: bool = False
    exchanges: list[Exchange] = field(default_factory=list)
    dropped: int = 0
    # The tasks that are answering its requests at the moment.
    answering: set[asyncio.Task[object]] = field(default_factory=set)
    weight: int = 0
    # The number of requests for each turn.
    answered: Counter[int] = field(default_factory=Counter)
    before_another: Callable[[], Awaitable[None]] | None = None

    @property
    def path(self) -> str:
        """The base URL's path; that of the default run is the server's own."""
        return "/v1" if self.default else f"/r/{self.id}/v1"

    def keep(self, exchange: Exchange) -> None:
        """Keep an exchange of this run; above a limit it is only counted."""
        if len(self.exchanges) < _MAX_EXCHANGES:
            self.exchanges.append(exchange)
        else:
            self.dropped += 1

    def record_end(self, exchange: Exchange) -> None:
        """Add the memory of an exchange that has ended to the run's, or drop the exchange.

        It is dropped, and counted as such, if the run would exceed its limit.
        """
        if exchange not in self.exchanges:
            return
        if self.weight + exchange.weight > _MAX_BYTES:
            self.exchanges.remove(exchange)
            self.dropped += 1
        else:
            self.weight += exchange.weight

    def find_case(self, id_: str) -> Case:
        """The case that was answered with, by its id: one of the offers in some dialect."""
        named = parse(id_) if self.offers and id_ else None
        for offer in self.offers if named else ():
            known = (offer.case.scenario.id, offer.case.variations)
            if named and known == (named.scenario, named.variations):
                return offer.in_dialect(named.dialect)
        return self.case

    def to_json(self, origin: str) -> dict[str, Any]:
        """The run as JSON data; ``origin`` is the server's URL without a path."""
        return {
            "id": self.id,
            "case": str(self.case),
            **({"cases": [each.to_json() for each in self.offers]} if len(self.offers) > 1 else {}),
            "base_url": origin + self.path,
            "requests": len(self.exchanges) + self.dropped,
        }


class Runs:
    """The open runs, bounded in number and in memory; above a limit the oldest is closed."""

    def __init__(self, most: int = 20_000, most_bytes: int = 256 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._open: OrderedDict[str, Run] = OrderedDict()
        self.default: Run | None = None

    def open(
        self,
        case: Case,
        gatekeeper: Gatekeeper | None = None,
        offers: tuple[Offer, ...] = (),
        default: bool = False,
    ) -> Run:
        """Open a run for a case, or for what is offered, at a new base URL.

        Raises UserError if it would be the second ``default`` run.
        """
        if default and self.default:
            hint = "close it first: one run at a time has the server's own base URL"
            raise UserError(Problem(f"{self.default.case} is the default run", hint=hint))
        run = Run(secrets.token_urlsafe(_TOKEN_BYTES), case, gatekeeper, offers, default)
        self._open[run.id] = run
        if default:
            self.default = run
        if len(self._open) > self._most:
            self.close(next(iter(self._open)))
        return run

    def record_end(self, run: Run, exchange: Exchange) -> None:
        """Add the memory of an exchange of a run that has ended to that of all runs.

        Above the limit of all runs, the oldest are closed.
        """
        before = run.weight
        run.record_end(exchange)
        if self.get(run.id) is not run:
            return
        self._bytes += run.weight - before
        while self._bytes > self._most_bytes:
            self.close(next(iter(self._open)))

    def get(self, id_: str) -> Run | None:
        """The open run with this id, if there is one."""
        return self._open.get(id_)

    def close(self, id_: str) -> Run | None:
        """Close a run and return it; None if it is not open."""
        run = self._open.pop(id_, None)
        self._bytes -= run.weight if run else 0
        if run is self.default:
            self.default = None
        return run

    def all(self) -> list[Run]:
        """Every open run, oldest first."""
        return list(self._open.values())
