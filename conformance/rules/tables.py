"""All tables of rules, by what they judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.findings.finding import Kind, Rule
from conformance.rules import RULES
from conformance.rules.claims import CLAIMS_KEPT
from conformance.rules.counting import COUNT_RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES

TABLES: Mapping[str, Sequence[Rule[Any]]] = {
    "what an adapter emits": RULES,
    "what an adapter sends back upstream": TURN_RULES,
    "what an adapter counts": COUNT_RULES,
    **{f"what an upstream sends in {dialect}": rules for dialect, rules in STREAM_RULES.items()},
    "what adapter.yaml claims": (CLAIMS_KEPT,),
}
"""The tables of rules by what they judge, for explanations and tests of all rules."""


def _by_name() -> dict[tuple[str, str], tuple[type[Kind], ...]]:
    kinds: dict[tuple[str, str], tuple[type[Kind], ...]] = {}
    for rule in (rule for rules in TABLES.values() for rule in rules):
        for kind in rule.kinds:
            key = rule.id, kind.name
            kinds[key] = (*kinds.get(key, ()), kind)
    return kinds


KINDS: Mapping[tuple[str, str], Sequence[type[Kind]]] = _by_name()
"""The kinds of findings by the id of their rule and their name; dialects share ids of rules."""
