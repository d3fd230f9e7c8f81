"""Offers of a run: the cases that it plays, and what a request has to say to get each of them.

A run of one case has one offer without a condition. A run may have several, as other mocks match
requests: the first whose condition holds answers. The scenario of a case is in the catalogue, or it
comes with the request that opens the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mockserver.cases.case import make_case, parse
from mockserver.cases.load import load, scenario_of
from mockserver.dialects.conversation import last_user_text
from mockserver.foundation.faults import Fault, Problem, UserError, did_you_mean
from mockserver.scenario.source import plain_tree
from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockserver.cases.case import Case
    from mockserver.dialects import Dialect, Inbound

_MOST = 64
_LONGEST = 200
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Condition:
    """What a request has to say: all that is not empty.

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


def offers_of(value: Any, find: Callable[[str], Case]) -> tuple[Offer, ...]:
    """The offers in the ``cases`` of a request for a run; ``find`` raises a Fault for no case.

    Raises UserError if the value is no list of them.
    """
    if isinstance(value, list) and len(value) > _MOST:
        raise UserError(f"a run has at most {_MOST} cases, and {len(value)} are named")
    if not isinstance(value, list) or not value:
        hint = '{"cases": [{"case": "any/refusal", "when": {"message": "bomb"}}, …]}'
        raise UserError(Problem(f"'cases' is a list of 1 to {_MOST} cases", hint=hint))
    offers = tuple(_offer(each, find) for each in value)
    for n, offer in enumerate(offers):
        _check_may_answer(offer, offers[:n])
    return offers


def _check_may_answer(offer: Offer, before: Sequence[Offer]) -> None:
    """Raises UserError if those before an offer answer all requests that it could."""
    for other in before:
        if other.when == Condition() and offer.dialects <= other.dialects:
            hint = "a case without a condition stands last; for several tests open a run for each"
            message = f"{offer.named} would never answer, since {other.named} has no condition"
            raise UserError(Problem(message, hint=hint))


def _offer(value: Any, find: Callable[[str], Case]) -> Offer:
    entry = {"case": value} if isinstance(value, str) else value
    if isinstance(entry, dict) and "scenario" in entry:
        entry = {"case": _OWN, **entry}
    if not isinstance(entry, dict) or not isinstance(named := entry.get("case"), str):
        raise UserError("an entry of 'cases' is a case's id, or has the key 'case' or 'scenario'")
    _only_known(entry, ("case", "scenario", "when"), "an entry of 'cases'")
    when = entry.get("when", {})
    if not isinstance(when, dict) or not all(isinstance(text, str) for text in when.values()):
        raise UserError("a condition has texts under the keys message, tool and model")
    _only_known(when, _KEYS, "a condition")
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


def _only_known(value: dict[str, Any], known: Sequence[str], what: str) -> None:
    for key in value:
        if key not in known:
            hint = did_you_mean(key, known)
            raise UserError(Problem(f"{what} has no key {key[:_SHOWN]!r}", hint=hint))


def offered(offers: Sequence[Offer], inbound: Inbound, dialect: Dialect) -> tuple[Case, str]:
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
        served = f"…/{dialect.requests.operations[0]} is {dialect.name!r}"
        against.append(f"{offer.named}: this run plays it in {played.dialect!r}; {served}")
    raise Refused(404, "\n".join(["this run has no case for the request", *against]))
