"""Reads the proofs of known failures, a YAML file beside their list.

A known failure with a proof is a *finding*: upstreams send the stream, something binds the library,
a program shows what its user loses without the kit (``streamproof repro``), and it is no choice.
``proofs.yaml`` belongs to ``adapter.yaml``, ``proofs-NAME.yaml`` to ``NAME.yaml``. People write the
file; nothing generates it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.contract.adapter import Description
from conformance.contract.proof import Duty, Proof, Shown, Upstream
from conformance.report.sources import link
from conformance.suite.adapter_yaml import read_yaml
from mockserver.foundation.faults import AdapterError, Place, Problem
from mockserver.scenario.shape import check_shape
from mockserver.scenario.source import Tree

_WORDS = ("name", "does", "loses", "layer", "case", "rule", "kind", "counter", "answer")
# The keys for pieces that are there, each with the key for those that are not.
_OPPOSITES = {"came": "lacks", "sent": "lacks_sent"}
_PIECES = (*_OPPOSITES, *_OPPOSITES.values())
# The keys that name a source.
_SOURCES = (("upstream", "legal"), ("duty", "must"))


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
    ((sent_as, at),) = ((key, at) for key, at in entry["upstream"].items() if key != "line")
    ((binds_by, where),) = (
        (key, at) for key, at in entry["duty"].items() if key not in ("says", "line")
    )
    return Proof(
        **{name: entry[name] for name in _WORDS},
        upstream=Upstream(sent_as, at, entry["upstream"]["line"]),
        duty=Duty(binds_by, where, entry["duty"]["says"], entry["duty"].get("line", 0)),
        shown=Shown(**pieces, ends=entry.get("ends", True)),
        place=place,
        threads=tuple(entry.get("threads", ())),
        program=entry.get("program", ""),
    )


def _problems(tree: Tree) -> Iterator[Problem]:
    places: dict[str, Place] = {}
    programs: dict[str, str] = {}
    for n, entry in enumerate(tree.value):
        for part, key in _SOURCES:
            if (source := entry[part].get(key)) and not link(source):
                hint = "sources.yaml in conformance/report has the names of sources and their links"
                message = f"the source {source!r} has no link"
                yield Problem(message, tree.place((n, part, key)), hint)
        yield from _contradictions(entry, tree, n)
        if program := _missing_program(entry, tree):
            message = f"{program} is not there"
            yield Problem(message, tree.place((n, "program")), "a program beside this file")
        place = tree.place((n, "name"))
        if entry["name"] in places:
            yield Problem(f"{entry['name']!r} has a proof at {places[entry['name']]}", place)
        places.setdefault(entry["name"], place)
        if programs.setdefault(entry["case"], entry.get("program", "")) != entry.get("program", ""):
            message = f"another proof of {entry['case']!r} has another program"
            yield Problem(message, tree.place((n, "case")), "a case has one reproduction")


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
