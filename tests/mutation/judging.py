"""Judges mutants: plays the items that could kill one until an item makes the suite fail.

So a mutant is killed if `pytest conformance` exits with 1. A finding of the level `should` is none.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Literal

from tests.mutation.modules import imported_again, module_of
from tests.mutation.mutant import Mutant
from tests.mutation.plain_run import PlainRun
from tests.mutation.process import Done, in_processes, limit_cpu
from tests.mutation.suite import FILES, Played, Suite

Fate = Literal["killed", "survived", "unviable"]

# A case takes some milliseconds; a mutant that takes so long hangs.
CPU_SECONDS = 3.0
WALL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant; ``why`` is how it was killed, or why it is not viable.

    ``items`` is the number of items that could have killed it, and ``otherwise`` names one in which
    a survivor did something else than the adapter without the change.
    """

    mutant: Mutant
    fate: Fate
    why: str
    items: int
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What became of a mutant; ``item`` has killed it, or shows what it does otherwise."""

    fate: Fate
    why: str = ""
    item: int | None = None


def judge(suite: Suite, plain: PlainRun, mutants: Iterable[Mutant], jobs: int) -> Iterator[Verdict]:
    """Judge mutants, several at a time; yields in the order in which they are judged."""
    chosen: dict[Mutant, list[int]] = {}

    def prepared() -> Iterator[Mutant]:
        for mutant in mutants:
            chosen[mutant] = plain.items_for(mutant)
            yield mutant

    def work(mutant: Mutant) -> _Answer:
        return _answer(suite, plain, mutant, chosen[mutant])

    gc.collect()
    gc.freeze()
    for mutant, done in in_processes(prepared(), work, jobs, WALL_SECONDS):
        yield _verdict(suite, plain, mutant, done, len(chosen.pop(mutant)))


def _verdict(suite: Suite, plain: PlainRun, mutant: Mutant, done: Done, items: int) -> Verdict:
    if done.value is None:
        return Verdict(mutant, "killed", done.why, items)
    answer: _Answer = done.value
    name = ""
    if answer.item is not None:
        name = f"{suite.items[answer.item].adapter.name}:{suite.items[answer.item].id}"
    if answer.fate == "killed" and answer.item is not None:
        plain.note_kill(answer.item)
        return Verdict(mutant, "killed", f"{name}: {answer.why}", items)
    return Verdict(mutant, answer.fate, answer.why, items, otherwise=name)


def _answer(suite: Suite, plain: PlainRun, mutant: Mutant, items: Sequence[int]) -> _Answer:
    limit_cpu(CPU_SECONDS)
    with imported_again({mutant.file: mutant.spoilt}):
        try:
            for file in FILES:
                import_module(module_of(file))
        except Exception as error:
            return _Answer("unviable", f"{type(error).__name__}: {error}")
        different = None
        for item, played in _played(suite, items, plain):
            if played.failed:
                return _Answer("killed", ", ".join(sorted(played.rules)) or "not played", item)
            if different is None and played.behaviour != plain.behaviour(item):
                different = item
    return _Answer("survived", item=different)


def _played(suite: Suite, items: Sequence[int], plain: PlainRun) -> Iterator[tuple[int, Played]]:
    with suite.playing() as player:
        for item in items:
            if suite.items[item].case:
                play = partial(player.play, suite.items[item], plain.behaviour(item))
                yield item, _within_limit(play)
    for item in items:
        if suite.items[item].claim:
            yield item, _within_limit(partial(suite.check_claim, suite.items[item]))


def _within_limit(play: Callable[[], Played]) -> Played:
    limit_cpu(CPU_SECONDS)
    try:
        return play()
    except Exception as error:
        # The adapter cannot be made, or it raised where the kit cannot go on.
        return Played(failed=True, rules=frozenset({f"{type(error).__name__}: {error}"[:200]}))
