"""Finds the case that a user names, by its id or by a scenario file, and an adapter to play it."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conformance.contract.adapter import Description
from conformance.suite.claims import CLAIMS, HELD_OPEN, held_open
from conformance.suite.workbench import skip_reason
from mockserver.cases.case import Case, CaseId, make_case, parse
from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.cases.search import find_about, near_ids, words_in
from mockserver.foundation.faults import Problem, UserError
from mockserver.scenario.model import Scenario

_MOST = 3
_LONGEST_NAME = 250
_HINT = "what an adapter can do stands in its adapter.yaml, under 'claims'"


def find_named_case(name: str, catalogue: Catalogue, dialects: Sequence[str] = ()) -> Case:
    """The case with this id, or that of a YAML file. Raises UserError or ScenarioError.

    Without a dialect in its name, it is in the first of ``dialects`` that the scenario speaks.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        scenario = read_file(path, make_id(path))
        return make_case(scenario, CaseId(scenario.id), _first_of(dialects, scenario))
    return find_case(name, catalogue, dialects)


def find_case(id_text: str, catalogue: Catalogue, dialects: Sequence[str] = ()) -> Case:
    """The case with this id, by default in the first of ``dialects`` that its scenario speaks.

    Raises UserError or ScenarioError.
    """
    if claim := CLAIMS.get(id_text):
        message = f"{id_text} is no scenario, but a claim of an adapter: {claim.holds}"
        hint = f"streamproof show {id_text} --adapter ADAPTER.YAML asks an adapter for it"
        raise UserError(Problem(message, hint=hint))
    id_ = _parse(id_text, catalogue)
    entry = catalogue.entry(id_.scenario)
    if entry is None and id_.scenario == HELD_OPEN:
        return make_case(held_open(), id_, _first_of(dialects, held_open()))
    if entry is None:
        words = " ".join(re.split("[-_.]+", id_.scenario.rpartition("/")[2]))
        near = name_nearest(id_.scenario, catalogue) or _about(words, catalogue)
        hint = near or "'streamproof list' has them all"
        if len(id_text) < _LONGEST_NAME and Path(id_text).is_file():
            hint = f"if it is a capture: streamproof import {id_text} --out FILE.yaml"
        raise UserError(Problem(f"no scenario is called {id_.scenario!r}", hint=hint))
    if entry.broken:
        raise entry.broken
    assert entry.scenario is not None
    return make_case(entry.scenario, id_, _first_of(dialects, entry.scenario))


def _parse(id_text: str, catalogue: Catalogue) -> CaseId:
    """The case id. Raises UserError, which names the scenarios that have the words of the text."""
    try:
        return parse(id_text)
    except UserError as error:
        (problem,) = error.problems
        several = len(id_text.split()) > 1
        meant = (several and _about(id_text, catalogue)) or name_nearest(id_text, catalogue)
        hint = " ".join(filter(None, (meant, problem.hint)))
        raise UserError(replace(problem, hint=hint)) from error


def _about(text: str, catalogue: Catalogue) -> str:
    """The scenarios that have the words of a text, such as those of a title."""
    words = text.split()
    found = find_about((each.scenario for each in catalogue.entries() if each.scenario), words)
    if not (words and found):
        return ""
    # A title with few other words is nearer than one with many, and a script for every dialect
    # than one for some.
    found.sort(
        key=lambda each: (
            -max(words_in(each.title, words), words_in(each.id, words)),
            not each.id.startswith("any/"),
            len(each.title),
        )
    )
    near = " or ".join(repr(each.id) for each in found[:_MOST])
    more = f", or another one of 'streamproof list {text}'" if len(found) > _MOST else ""
    return f"did you mean {near}{more}?"


def name_nearest(name: str, catalogue: Catalogue) -> str:
    """A hint with the scenarios that have similar ids; empty if there are none."""
    near = " or ".join(map(repr, near_ids(name, catalogue.ids())))
    return f"did you mean {near}?" if near else ""


def _first_of(dialects: Sequence[str], scenario: Scenario) -> str:
    return next((dialect for dialect in dialects if dialect in scenario.dialects), "")


def choose_adapter(adapters: Sequence[Description], selected: Case) -> Description:
    """The first adapter of the case's dialect that claims what the case needs.

    Raises UserError if there is none.
    """
    speaking = [each for each in adapters if selected.dialect in each.dialects]
    if not speaking:
        names = " or ".join(described.name for described in adapters)
        raise UserError(f"{names} does not claim the dialect {selected.dialect!r}")
    unasked = [(each, skip_reason(each, selected)) for each in speaking]
    if asked := next((each for each, why in unasked if not why), None):
        return asked
    described, why = unasked[0]
    raise UserError(Problem(f"{described.name} is not asked: {why}", hint=_HINT))


def make_id(path: Path) -> str:
    """The id of a scenario file outside of a catalogue: its folder's name and its own name."""
    # Unlike resolve(), realpath() returns even if links go round in a circle.
    return f"{Path(os.path.realpath(path)).parent.name}/{path.stem}"
