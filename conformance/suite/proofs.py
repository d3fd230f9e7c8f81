"""Reads the proofs of known failures, a YAML file beside their list.

A known failure is *confirmed* if it has a proof: a case whose reproduction shows it without the kit
(``streamproof repro``), the clause that forbids it, and the maintainer's best argument with why it
fails. ``proofs.yaml`` belongs to ``adapter.yaml``, ``proofs-NAME.yaml`` to ``NAME.yaml``. People
write the file; nothing generates it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.proof import Proof, Shown
from conformance.contract.sources import link
from conformance.suite.adapter_yaml import read_yaml
from mockserver.faults import AdapterError, Place, Problem
from mockserver.scenario.shape import departures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from conformance.contract.adapter import Description
    from mockserver.scenario.source import Tree

_WORDS = ("does", "case", "clause", "source", "counter", "answer")


def proofs_of(description: Description) -> list[Proof]:
    """The proofs of an adapter's known failures; none if it has no file of them."""
    path = description.companion("proofs", ".yaml")
    return read_proofs(path) if path.is_file() else []


def read_proofs(path: Path) -> list[Proof]:
    """Read a file of proofs. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := departures(tree, "proofs") or list(_problems(tree)):
        raise AdapterError(*problems)
    return [_proof(entry, tree.place((n,))) for n, entry in enumerate(tree.value)]


def _proof(entry: Mapping[str, Any], place: Place) -> Proof:
    shown = Shown(tuple(entry["came"]), tuple(entry.get("lacks", ())), entry.get("ends", True))
    return Proof(**{name: entry[name] for name in _WORDS}, shown=shown, place=place)


def _problems(tree: Tree) -> Iterator[Problem]:
    places: dict[tuple[str, str], Place] = {}
    for n, entry in enumerate(tree.value):
        if not link(entry["source"]):
            hint = "conformance/contract/clauses.py has the names of sources and their links"
            message = f"the source {entry['source']!r} has no link"
            yield Problem(message, tree.place((n, "source")), hint)
        lacks = entry.get("lacks", ())
        if piece := next((piece for piece in entry["came"] if piece in lacks), ""):
            yield Problem(f"{piece!r} is in 'came' and in 'lacks'", tree.place((n, "lacks")))
        failure, place = (entry["does"], entry["case"]), tree.place((n, "case"))
        if failure in places:
            message = f"{entry['case']!r} has a proof of this failure at {places[failure]}"
            yield Problem(message, place)
        places.setdefault(failure, place)
