"""All tables of rules, by what they judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.rules import RULES
from conformance.rules.counting import COUNT_RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.contract.finding import Rule

TABLES: Mapping[str, Sequence[Rule[Any]]] = {
    "what an adapter emits": RULES,
    "what an adapter sends back upstream": TURN_RULES,
    "what an adapter counts": COUNT_RULES,
    **{f"what an upstream sends in {dialect}": rules for dialect, rules in STREAM_RULES.items()},
}
"""The tables of rules by what they judge, for explanations and tests of all rules."""
