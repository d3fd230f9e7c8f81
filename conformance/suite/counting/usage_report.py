"""An answer that reports its request's token usage, in a dialect that can report it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.suite.counting.script import REPLY, TOOL
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from conformance.contract.adapter import Description

MODEL = {"context_window": 200_000, "max_tokens": 64_000}
"""The limits of the answering model in tokens; no other model has these values."""

_OUTPUT_TOKENS = 20


@dataclass(frozen=True, slots=True)
class UsageReport:
    """How the upstream reports usage: the dialect, and the variations that the adapter needs."""

    dialect: str
    variations: tuple[str, ...] = ()

    def case(self, tokens: int | None = None, *, calls: bool = False) -> Case:
        """A case with a short reply that reports so many input tokens, or no usage if None.

        The reply is a text or, with ``calls``, a call of ``TOOL``.
        """
        usage = "none" if tokens is None else {"input": tokens, "output": _OUTPUT_TOKENS}
        call = {"id": "call_1", "name": TOOL["name"], "input": {"sender": "a friend"}}
        says = [{"call": call} if calls else {"text": REPLY}, {"usage": usage}]
        turns, host = [{"says": says}], {"model": dict(MODEL)}
        said = {"title": "A reply with a bill", "host": host, "turns": turns}
        scenario = load(json.dumps(said).encode(), "the kit's own", "any/counted")
        return Case(scenario, self.dialect, self.variations)

    @property
    def shows_usage(self) -> bool:
        """Whether the dialect reports usage: whether the bytes sent depend on the tokens used."""
        sent = [render(self.case(tokens), 0).plan.sent for tokens in (100, 200)]
        return sent[0] != sent[1]


def usage_report_for(adapter: Description) -> UsageReport | None:
    """The usage report in the first of an adapter's dialects that has one; None if none has.

    A UI message stream, for example, reports no usage.
    """
    reports = (UsageReport(dialect, _generation(adapter, dialect)) for dialect in adapter.dialects)
    return next((report for report in reports if report.shows_usage), None)


def _generation(adapter: Description, dialect: str) -> tuple[str, ...]:
    claimed = adapter.claims.generations
    generations = DIALECTS[dialect].writing.generations
    if not generations or claimed is None or generations[0] in claimed:
        return ()
    return claimed[:1]
