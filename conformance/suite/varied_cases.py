"""The variations under which the suite plays a case to an adapter.

Streams can break in thousands of places, so ``faults`` stands for a sample: a case is played under
one fault of each kind, and its name chooses the place. Every adapter gets the same ones, and all
cases together every listed fault in each of its dialects.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from zlib import crc32

from conformance.contract.adapter import Description
from conformance.expectation.broken_answers import is_certain
from mockserver.cases.case import Case, misfit
from mockserver.cases.render import differs, find_cancel
from mockserver.cases.variations import FAULTS, variations
from mockserver.dialects import DIALECTS

_SAMPLED = "faults"
_ANY_PLACE, _SEEDS = "seed-1", 1000


def asked_variations(names: Iterable[str]) -> list[str]:
    """The variations of names and groups; that of faults stays, as a case has faults of its own.

    Raises UserError if a name is unknown.
    """
    groups = ([name] if name == _SAMPLED else variations(name) for name in names)
    return list(dict.fromkeys(each for group in groups for each in group))


def case_for(described: Description, case: Case) -> Case:
    """The case as the adapter's own upstream streams it: with the variations that change it."""
    for name in described.upstream:
        changed = replace(case, variations=(name,))
        if not misfit(changed) and differs(changed):
            case = replace(case, variations=(*case.variations, name))
    return case


def varied(adapter: Description, plain: Case, asked: Sequence[str]) -> Iterator[Case]:
    """The case under each variation that applies to it, changes what is sent and can be judged."""
    for each in _claimed(adapter, plain, asked):
        names = tuple(each.split("+"))
        case = replace(plain, variations=(*plain.variations, *names))
        if misfit(case) or not differs(replace(plain, variations=names)):
            continue
        cancelled = any(find_cancel(case, n) for n, _ in enumerate(case.scenario.turns))
        if is_certain(case) and (adapter.claims.cancel or not cancelled):
            yield case


def _claimed(adapter: Description, plain: Case, asked: Sequence[str]) -> Iterator[str]:
    """The variations, without generations that the adapter does not claim."""
    generations = {each for dialect in DIALECTS.values() for each in dialect.writing.generations}
    for name in asked:
        if name == _SAMPLED:
            yield from sampled_faults(plain)
        elif name not in generations or claims_generation(adapter, name):
            yield name


def claims_generation(adapter: Description, generation: str) -> bool:
    """Whether an adapter reads a generation of a dialect."""
    claimed = adapter.claims.generations
    return claimed is None or generation in claimed


def sampled_faults(plain: Case) -> Iterator[str]:
    """One fault of each kind that fits a case."""
    kinds: dict[str, list[str]] = {}
    for name, fault in FAULTS.items():
        if fault.applies_to(plain.dialect):
            kinds.setdefault(_kind(name), []).append(name)
    for kind, faults in kinds.items():
        seed = crc32(f"{plain.scenario.id}@{plain.dialect} {kind}".encode())
        seed, first = divmod(seed, len(faults))
        place = f"seed-{seed % _SEEDS}"
        for each in (*faults[first:], *faults[:first]):
            fault_there = each.replace(_ANY_PLACE, place)
            if not misfit(replace(plain, variations=(*plain.variations, fault_there))):
                yield fault_there
                break


def _kind(fault: str) -> str:
    """The family of a fault; each way in which a stream stops is a kind of its own."""
    family, *parameters = fault.split(":")
    return f"{family}:{parameters[-1]}" if family == "stop" else family
