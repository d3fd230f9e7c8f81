"""Reads the proofs of known failures, a YAML file beside their list.

A known failure is *confirmed* if it has a proof: a case whose reproduction shows it without the kit
(``streamproof repro``), the clause that forbids it, and the maintainer's best argument with why it
fails. ``proofs.yaml`` belongs to ``adapter.yaml``, ``proofs-NAME.yaml`` to ``NAME.yaml``. People
write the file; nothing generates it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof, Shown
from conformance.report.sources import link
from conformance.suite.adapter_yaml import read_yaml
from mockserver.foundation.faults import AdapterError, Place, Problem
from mockserver.scenario.shape import check_shape
from mockserver.scenario.source import Tree

_WORDS = ("does", "case", "rule", "kind", "clause", "source", "counter", "answer")
# The keys for pieces that are there, each with the key for those that are not.
_OPPOSITES = {"came": "lacks", "sent": "lacks_sent"}
_PIECES = (*_OPPOSITES, *_OPPOSITES.values())


def proofs_of(description: Description) -> list[Proof]:
    """The proofs of an adapter's known failures; none if it has no file of them."""
    path = description.companion("proofs", ".yaml")
    return read_proofs(path) if path.is_file() else []


def read_proofs(path: Path) -> list[Proof]:
    """Read a file of proofs. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := check_shape(tree, "proofs") or list(_problems(tree)):
        raise AdapterError(*problems)
    return [_proof(entry, tree.place((n,))) for n, entry in enumerate(tree.value)]


def _proof(entry: Mapping[str, Any], place: Place) -> Proof:
    pieces = {name: tuple(entry.get(name, ())) for name in _PIECES}
    shown = Shown(**pieces, ends=entry.get("ends", True))
    words = {name: entry[name] for name in _WORDS}
    return Proof(**words, shown=shown, place=place, program=entry.get("program", ""))


def _problems(tree: Tree) -> Iterator[Problem]:
    places: dict[tuple[str, str], Place] = {}
    programs: dict[str, str] = {}
    for n, entry in enumerate(tree.value):
        if not link(entry["source"]):
            hint = "sources.yaml in conformance/report has the names of sources and their links"
            message = f"the source {entry['source']!r} has no link"
            yield Problem(message, tree.place((n, "source")), hint)
        yield from _contradictions(entry, tree, n)
        if program := _missing_program(entry, tree):
            message = f"{program} is not there"
            yield Problem(message, tree.place((n, "program")), "a program beside this file")
        failure, place = (entry["does"], entry["case"]), tree.place((n, "case"))
        if failure in places:
            message = f"{entry['case']!r} has a proof of this failure at {places[failure]}"
            yield Problem(message, place)
        places.setdefault(failure, place)
        if programs.setdefault(entry["case"], entry.get("program", "")) != entry.get("program", ""):
            message = f"another proof of {entry['case']!r} has another program"
            yield Problem(message, place, "a case has one reproduction")


def _contradictions(entry: Mapping[str, Any], tree: Tree, n: int) -> Iterator[Problem]:
    """Pieces that an entry has both among those that are there and among those that are not."""
    for key, opposite in _OPPOSITES.items():
        lacks = entry.get(opposite, ())
        if piece := next((piece for piece in entry.get(key, ()) if piece in lacks), ""):
            message = f"{piece!r} is in {key!r} and in {opposite!r}"
            yield Problem(message, tree.place((n, opposite)))


def _missing_program(entry: Mapping[str, Any], tree: Tree) -> str:
    """The path of an entry's own program if there is no such file; empty otherwise."""
    name = entry.get("program", "")
    path = Path(tree.file).with_name(name) if name else None
    return str(path) if path and not path.is_file() else ""
