"""Judges mutants: plays the items that could kill one until an item fails."""

from __future__ import annotations

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
from tests.mutation.suite import FILES, Suite

Fate = Literal["killed", "survived", "unviable"]

# A case takes some milliseconds; a mutant that takes so long hangs.
CPU_SECONDS = 10.0
WALL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant; ``why`` is how it was killed, or why it is not viable.

    ``items`` is the number of items that could have killed it.
    """

    mutant: Mutant
    fate: Fate
    why: str
    items: int


def judge(suite: Suite, plain: PlainRun, mutants: Iterable[Mutant], jobs: int) -> Iterator[Verdict]:
    """Judge mutants, several at a time; yields in the order in which they are judged."""
    chosen: dict[Mutant, list[int]] = {}

    def prepared() -> Iterator[Mutant]:
        for mutant in mutants:
            chosen[mutant] = plain.items_for(mutant)
            yield mutant

    def work(mutant: Mutant) -> tuple[Fate, str, int | None]:
        return _fate(suite, mutant, chosen[mutant])

    gc.collect()
    gc.freeze()
    for mutant, done in in_processes(prepared(), work, jobs, WALL_SECONDS):
        yield _verdict(suite, plain, mutant, done, len(chosen.pop(mutant)))


def _verdict(suite: Suite, plain: PlainRun, mutant: Mutant, done: Done, items: int) -> Verdict:
    if done.value is None:
        return Verdict(mutant, "killed", done.why, items)
    fate, why, item = done.value
    if item is not None:
        plain.note_kill(item)
        why = f"{suite.items[item].adapter.name}:{suite.items[item].id}: {why}"
    return Verdict(mutant, fate, why, items)


def _fate(suite: Suite, mutant: Mutant, items: Sequence[int]) -> tuple[Fate, str, int | None]:
    """What becomes of a mutant, in this process: its fate, why, and the item that kills it."""
    limit_cpu(CPU_SECONDS)
    with imported_again({mutant.file: mutant.spoilt}):
        try:
            for file in FILES:
                import_module(module_of(file))
        except Exception as error:
            return "unviable", f"{type(error).__name__}: {error}", None
        for item, broken in _played(suite, items):
            if broken:
                return "killed", ", ".join(broken), item
    return "survived", "", None


def _played(suite: Suite, items: Sequence[int]) -> Iterator[tuple[int, Sequence[str]]]:
    """Play cases, then claims; yields the rules that each found broken."""
    with suite.playing() as player:
        for item in items:
            if suite.items[item].case:
                yield item, _within_limit(partial(player.play, suite.items[item]))
    for item in items:
        if suite.items[item].claim:
            yield item, _within_limit(partial(suite.check_claim, suite.items[item]))


def _within_limit(play: Callable[[], Sequence[str]]) -> Sequence[str]:
    limit_cpu(CPU_SECONDS)
    try:
        return play()
    except Exception as error:
        # The adapter cannot be made, or it raised where the kit cannot go on.
        return (f"{type(error).__name__}: {error}"[:200],)
