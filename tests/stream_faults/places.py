"""The cases in which a test breaks answers: every place of some, and one place of the others."""

from collections.abc import Iterator
from itertools import cycle
from typing import get_args
from zlib import crc32

from conformance.expectation.broken_answers import is_certain
from mockserver.cases.case import Case, misfit
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.scenario.script import CloseHow
from tests.cases.variations.test_readings import CATALOGUE, SCENARIOS

HOWS: tuple[CloseHow, ...] = get_args(CloseHow)

TELLING = (
    "any/annex", "any/arguments-parse-before-they-end", "any/call-between-texts",
    "any/call-inside-text", "any/calls-before-text", "any/citation-between-sentences",
    "any/conversation-two-rounds", "any/cut-short-by-length", "any/empty-object-arguments",
    "any/error-at-once", "any/escapes-cut-in-two", "any/fails-with-half-a-call",
    "any/padded-arguments", "any/parallel-calls-end-in-reverse", "any/reasoning", "any/refusal",
    "any/refuses-halfway", "any/same-call-twice", "any/text-and-call-interleave",
    "any/thinking-after-text", "any/thinking-between-calls", "any/thinking-with-encrypted-content",
    "any/two-equal-messages", "any/whitespace-and-empty-deltas", "chat/calls-interleave-by-index",
    "chat/content-beside-tool-calls", "openresponses/commentary-then-answer",
    "openresponses/hosted-code-in-deltas", "openresponses/parallel-calls", "vercel/two-steps",
)  # fmt: skip
"""Thirty scenarios with every kind of content, in each order, and with each kind of ending."""

_KNOWN = {scenario.id: scenario for scenario in SCENARIOS}


def every_place(id_: str) -> Iterator[Case]:
    """A scenario in each of its dialects, broken before and after each item and inside each event.

    The ways in which it breaks take turns.
    """
    for dialect in _KNOWN[id_].dialects:
        between, inside = cycle(_between(dialect)), cycle(HOWS)
        for item in range(_items(Case(_KNOWN[id_], dialect)) + 1):
            yield from _fitting(id_, dialect, next(between).replace("K", str(item)))
            yield from _fitting(id_, dialect, f"stop:{item}:{item + 1}:{next(inside)}")
        yield from _fitting(id_, dialect, f"stop:{item - 1}:line:cut")


def one_place() -> Iterator[Case]:
    """Every other scenario that can break, at a place and in a way that its name decides."""
    for id_, scenario in _KNOWN.items():
        for dialect in scenario.dialects if id_ not in TELLING else ():
            seed = crc32(f"{id_}@{dialect}".encode())
            ways = [way.replace("K", f"seed-{seed % 1000}") for way in _between(dialect)]
            fitting = [case for way in ways for case in _fitting(id_, dialect, way)]
            if fitting:
                yield fitting[seed % len(fitting)]


def _between(dialect: str) -> list[str]:
    errors = [f"error:K:{shape}" for shape in DIALECTS[dialect].errors.shapes]
    return [*(f"stop:K:{how}" for how in HOWS), "junk:K", *errors]


def _items(case: Case) -> int:
    turns = case.scenario.turns
    sent = render(case, len(turns) - 1, len(turns[-1].attempts)).plan.sent
    return sum(item.kind != "done" for item in sent)


def _fitting(id_: str, dialect: str, fault: str) -> Iterator[Case]:
    case = Case(_KNOWN[id_], dialect, (fault,))
    if not misfit(case) and is_certain(case):
        yield case


__all__ = ["CATALOGUE", "TELLING", "every_place", "one_place"]
