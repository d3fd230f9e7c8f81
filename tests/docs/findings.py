"""The findings about published libraries: the rows that the pages of findings are made from.

A row is one behaviour of a library on streams of one conduct. It is confirmed if one of its cases
has a proof (``adapters/*/proofs*.yaml``).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof
from conformance.rules import RULES
from conformance.suite.adapter_yaml import read_description
from conformance.suite.known_failures import KnownFailure, Notes, read_list
from conformance.suite.proofs import proofs_of
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.model import Scenario
from streamproof._commands.repro import binding_of
from tests.adapters import DESCRIPTIONS
from tests.docs.pages import ROOT

ADAPTERS = ROOT / "adapters"
CATALOGUE = Catalogue.shipped()

CLIENTS = {
    "langchain-openai": "openai-python",
    "litellm": "openai-python",
    "openai-agents": "openai-python",
    "openai-node-helper": "openai-node",
    "openai-python-helper": "openai-python",
    "pydantic-ai": "openai-python",
}
"""The folder of the client with which a library reads event streams, by the library's folder.

What the client's binding has shown is not counted again. The library may pin another version of it.
"""

Kind = Literal["confirmed", "shown by another binding", "not confirmed", "choice"]

_ORDER = ("legal", "deviation", "violation")
_SHOULD = {rule.id for rule in RULES if rule.level == "should"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A behaviour of a library, the rules that it breaks, and the scenarios that show it.

    The streams of the scenarios have the same conduct. ``proof`` is None if it is not confirmed;
    ``shown_by`` is the binding that has its proof, of the same API, core or client, if that is
    another one.
    """

    notes: Notes
    rules: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    proof: Proof | None = None
    shown_by: str = ""

    @property
    def conduct(self) -> str:
        """The conduct of the upstream in the scenarios."""
        return self.scenarios[0].conduct

    @property
    def kind(self) -> Kind:
        """Whether it is confirmed, or no finding about the library but a choice."""
        if self.proof:
            return "shown by another binding" if self.shown_by else "confirmed"
        choice = self.notes.fault == "binding" or _SHOULD.issuperset(self.rules)
        return "choice" if choice else "not confirmed"


@dataclass(frozen=True, slots=True)
class Library:
    """A folder of ``adapters/``: a library, and its bindings for the APIs and layers of it."""

    name: str
    bindings: tuple[Description, ...]


@cache
def libraries() -> list[Library]:
    folders = sorted({path.parent for path in ADAPTERS.glob("*/adapter.yaml")})
    return [
        Library(
            folder.name,
            tuple(
                read_description(path)
                for path in (folder / name for name in DESCRIPTIONS)
                if path.exists()
            ),
        )
        for folder in folders
    ]


def described() -> list[Description]:
    return [binding for library in libraries() for binding in library.bindings]


def seen_in_host_alone(description: Description) -> bool:
    """Whether a binding is of an extension that no program shows without the kit's host."""
    is_extension = (description.path.parent / "checkout.json").exists()
    return is_extension and not binding_of(description).program


def findings(description: Description) -> list[Finding]:
    """The findings about one library, those on legal streams first.

    A behaviour that is shown on streams of several conducts is a finding for each of them.
    """
    return _findings(description.path)


@cache
def _findings(path: Path) -> list[Finding]:
    description = read_description(path)
    listed = read_list(description.known_failures) if description.known_failures else []
    groups: dict[tuple[Notes, str], list[tuple[KnownFailure, Scenario]]] = {}
    for entry in listed:
        if scenario := scenario_of(entry.case):
            group = groups.setdefault((entry.notes, scenario.conduct), [])
            group.append((entry, scenario))
    others = [
        *_proofs_of_others(description),
        *_proofs_of_core(description),
        *_proofs_of_client(description),
    ]
    proofs = [*others, *((proof, "") for proof in proofs_of(description))]
    found = [_finding(notes, shown, proofs) for (notes, _), shown in groups.items()]
    return sorted(found, key=lambda finding: _ORDER.index(finding.conduct))


def _proofs_of_others(description: Description) -> list[tuple[Proof, str]]:
    """The proofs of the bindings that precede one in its folder and read the same API."""
    names = DESCRIPTIONS[: DESCRIPTIONS.index(description.path.name)]
    paths = (description.path.with_name(name) for name in names)
    others = [read_description(path) for path in paths if path.exists()]
    same = [other for other in others if other.dialects == description.dialects]
    return [(proof, other.name) for other in same for proof in proofs_of(other)]


def _proofs_of_core(description: Description) -> list[tuple[Proof, str]]:
    """The proofs of the binding that tests the same version of the AI SDK's core alone."""
    if description.path.name != "fullstream.yaml":
        return []
    own, version = description.path.parent, core_of(description)
    cores = [
        other
        for other in described()
        if other.vocabulary == description.vocabulary and other.path.parent != own
    ]
    same = [other for other in cores if core_of(other) == version and other.path.stem == "adapter"]
    return [(proof, other.name) for other in same for proof in proofs_of(other)]


def _proofs_of_client(description: Description) -> list[tuple[Proof, str]]:
    """The proofs of the client with which a library reads the streams of this API."""
    folder = CLIENTS.get(description.path.parent.name)
    if not folder:
        return []
    client = read_description(ADAPTERS / folder / description.path.name)
    return [(proof, client.name) for proof in proofs_of(client)]


def core_of(description: Description) -> str:
    """The version of the AI SDK's core that a binding is installed with."""
    manifest = json.loads(description.path.with_name("package.json").read_text("utf-8"))
    version: str = manifest["dependencies"]["ai"]
    return version


def scenario_of(case: str) -> Scenario | None:
    """The scenario of a case id; None if there is none."""
    return CATALOGUE.get(re.split("[@+]", case)[0])


def _finding(
    notes: Notes,
    shown: Sequence[tuple[KnownFailure, Scenario]],
    proofs: Sequence[tuple[Proof, str]],
) -> Finding:
    rules = tuple(dict.fromkeys(entry.rule for entry, _ in shown))
    scenarios = {scenario.id: scenario for _, scenario in shown}
    cases = {entry.case for entry, _ in shown}
    dialects = {_dialect(case) for case in cases}
    same = (
        (proof, by)
        for proof, by in proofs
        if proof.does == notes.does
        and (proof.case in cases or _dialect(proof.case) not in dialects)
    )
    proof, shown_by = next(same, (None, ""))
    in_order = tuple(sorted(scenarios.values(), key=_size))
    return Finding(notes, rules, in_order, proof, shown_by)


def _dialect(case: str) -> str:
    return re.split("[@+]", case)[1]


def _size(scenario: Scenario) -> int:
    assert scenario.place
    return Path(scenario.place.file).stat().st_size
