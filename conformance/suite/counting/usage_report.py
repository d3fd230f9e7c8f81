"""An answer that tells what its request has cost, in a dialect in which that can be told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.suite.counting.script import REPLY
from mockserver.dialects import DIALECTS
from mockserver.render import Case, render
from mockserver.scenario.load import load

if TYPE_CHECKING:
    from conformance.contract.adapter import Description

MODEL = {"context_window": 200_000, "max_tokens": 64_000}
"""The figures of the model that answers, which are not those of any other."""

_OUTPUT_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Bill:
    """How an adapter's upstream writes it."""

    dialect: str
    variations: tuple[str, ...] = ()

    def case(self, tokens: int | None = None) -> Case:
        """A short reply, of whose request these input tokens are told, or none at all."""
        usage = "none" if tokens is None else {"input": tokens, "output": _OUTPUT_TOKENS}
        says = [{"text": REPLY}, {"usage": usage}]
        turns, host = [{"says": says}], {"model": dict(MODEL)}
        said = {"title": "A reply with a bill", "host": host, "turns": turns}
        scenario = load(json.dumps(said).encode(), "the kit's own", "any/counted")
        return Case(scenario, self.dialect, self.variations)

    @property
    def tells(self) -> bool:
        """Does what goes out depend on what was used?"""
        sent = [render(self.case(tokens), 0).plan.sent for tokens in (100, 200)]
        return sent[0] != sent[1]


def bill_for(adapter: Description) -> Bill | None:
    """In the first of an adapter's dialects that tells what was used; a message stream does not."""
    bills = (Bill(dialect, _generation(adapter, dialect)) for dialect in adapter.dialects)
    return next((bill for bill in bills if bill.tells), None)


def _generation(adapter: Description, dialect: str) -> tuple[str, ...]:
    claimed = adapter.claims.generations
    generations = DIALECTS[dialect].generations
    if not generations or claimed is None or generations[0] in claimed:
        return ()
    return claimed[:1]
