"""Finds the case that a user names, by its id or by the path of a scenario file."""

from __future__ import annotations

from pathlib import Path

from conformance.suite.claims import CLAIMS
from mockserver.faults import Problem, UserError, did_you_mean
from mockserver.render import Case, case
from mockserver.scenario.case import CaseId, parse
from mockserver.scenario.catalogue import Catalogue, read_file


def case_of_name(name: str, catalogue: Catalogue) -> Case:
    """The case with this id, or that of a YAML file. Raises UserError or ScenarioError."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        scenario = read_file(path, id_of(path))
        return case(scenario, CaseId(scenario.id))
    return case_of_id(name, catalogue)


def case_of_id(id_text: str, catalogue: Catalogue) -> Case:
    """The case with this id. Raises UserError or ScenarioError."""
    if claim := CLAIMS.get(id_text):
        message = f"{id_text} is no scenario, but a claim of an adapter: {claim.holds}"
        hint = f"streamproof show {id_text} --adapter ADAPTER.YAML asks an adapter for it"
        raise UserError(Problem(message, hint=hint))
    id_ = parse(id_text)
    entry = catalogue.entry(id_.scenario)
    if entry is None:
        hint = did_you_mean(id_.scenario, catalogue.ids()) or "streamproof lint lists them all"
        raise UserError(Problem(f"no scenario is called {id_.scenario!r}", hint=hint))
    if entry.broken:
        raise entry.broken
    assert entry.scenario is not None
    return case(entry.scenario, id_)


def id_of(path: Path) -> str:
    """The id of a scenario file outside of a catalogue: its folder's name and its own name."""
    return f"{path.resolve().parent.name}/{path.stem}"
