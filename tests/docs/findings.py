"""The findings about published libraries, and what else was seen: what their pages are made from.

A finding is a defect of a library that has a proof (``adapters/*/proofs*.yaml``). It is counted
once, with all bindings, versions and streams that show it: the entries of lists of known failures
that name it. What a list has without a proof is seen, and not counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof
from conformance.findings.finding import Weight
from conformance.rules import RULES
from conformance.rules.tables import KINDS
from conformance.suite.adapter_yaml import read_description
from conformance.suite.known_failures import KnownFailure, Notes, read_list
from conformance.suite.proofs import proofs_of
from mockserver.cases.case import Case, make_case, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.model import Scenario
from tests.adapters import DESCRIPTIONS
from tests.docs.pages import ROOT

ADAPTERS = ROOT / "adapters"
CATALOGUE = Catalogue.shipped()

SHARED = {
    "ai": (
        "ai-sdk-gateway", "ai-sdk-gateway-6", "ai-sdk-gateway-6.0.50", "ai-sdk-gateway-5",
        "ai-sdk-ui", "ai-sdk-ui-6", "ai-sdk-ui-6.0.50", "ai-sdk-ui-5",
    ),
    "ai-sdk-openai": ("ai-sdk-openai", "ai-sdk-openai-previous"),
    "effect-ai-openai": ("effect-ai-openai-beta", "effect-ai-openai"),
    "openai-node": ("openai-node", "openai-node-helper"),
    "openai-python": ("openai-python", "openai-python-helper"),
}  # fmt: skip
"""The libraries that have several folders of ``adapters/``: versions, and layers of one package."""

_WEIGHTS: tuple[Weight, ...] = get_args(Weight)
_CONDUCTS = ("legal", "deviation", "violation")
_SHOULD = {rule.id for rule in RULES if rule.level == "should"}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of ``adapters/``: pinned packages, and their bindings for APIs and layers."""

    name: str
    bindings: tuple[Description, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A published library, with the folders of its versions and layers."""

    name: str
    folders: tuple[Folder, ...]

    @property
    def bindings(self) -> tuple[Description, ...]:
        return tuple(binding for folder in self.folders for binding in folder.bindings)


@dataclass(frozen=True, slots=True)
class Shown:
    """A failure that a binding's list has in one case."""

    binding: Description
    entry: KnownFailure
    case: Case


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of a library: its proof, the binding that the program belongs to, and who has it."""

    proof: Proof
    binding: Description
    shown: tuple[Shown, ...]

    @property
    def case(self) -> Case:
        """The case that the program plays."""
        return case_of(self.proof.case)

    @property
    def order(self) -> tuple[bool, int, int]:
        """Contradictions of a library with itself first, then by harm, then by stream."""
        (kind, *_) = KINDS[self.proof.rule, self.proof.kind]
        harm = _WEIGHTS.index(kind.weight)
        return self.proof.duty.kind != "itself", harm, _CONDUCTS.index(self.case.conduct)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a library does on streams of one conduct, without a proof."""

    notes: Notes
    conduct: str
    shown: tuple[Shown, ...]

    @property
    def is_choice(self) -> bool:
        """Whether libraries may differ in it, or only the binding is at fault."""
        return self.notes.fault == "binding" or _SHOULD.issuperset(rules_of(self.shown))


@cache
def folders() -> dict[str, Folder]:
    """The folders of bindings by their names."""
    return {
        path.name: Folder(path.name, tuple(_described(path)))
        for path in sorted(path.parent for path in ADAPTERS.glob("*/adapter.yaml"))
    }


def _described(folder: Path) -> Iterator[Description]:
    paths = (folder / name for name in DESCRIPTIONS)
    yield from (read_description(path) for path in paths if path.exists())


@cache
def libraries() -> list[Library]:
    grouped = {name for names in SHARED.values() for name in names}
    alone = {name: (name,) for name in folders() if name not in grouped}
    named = sorted((SHARED | alone).items())
    return [Library(name, tuple(folders()[each] for each in parts)) for name, parts in named]


def described() -> list[Description]:
    return [binding for folder in folders().values() for binding in folder.bindings]


def findings(library: Library) -> list[Finding]:
    """The findings about a library, in the order of its page."""
    named: dict[str, list[Shown]] = {}
    for each in shown():
        if name := full_name(each):
            named.setdefault(name, []).append(each)
    found = [
        Finding(proof, binding, tuple(named.get(f"{folder.name}/{proof.name}", ())))
        for folder in library.folders
        for binding in folder.bindings
        for proof in proofs_of(binding)
    ]
    return sorted(found, key=lambda finding: finding.order)


def full_name(each: Shown) -> str:
    """The finding that an entry names, as FOLDER/NAME; empty if it names none."""
    name = each.entry.notes.finding
    return name if "/" in name or not name else f"{each.binding.path.parent.name}/{name}"


def seen(library: Library) -> list[Seen]:
    """What the lists of a library have without a proof, legal streams first."""
    groups: dict[tuple[Notes, str], list[Shown]] = {}
    for each in shown():
        if each.binding in library.bindings and not each.entry.notes.finding:
            groups.setdefault((each.entry.notes, each.case.conduct), []).append(each)
    rows = [Seen(notes, conduct, tuple(group)) for (notes, conduct), group in groups.items()]
    return sorted(rows, key=lambda row: _CONDUCTS.index(row.conduct))


@cache
def shown() -> tuple[Shown, ...]:
    """Every failure of every binding's list, by case."""
    return tuple(
        Shown(binding, entry, case_of(entry.case))
        for binding in described()
        if binding.known_failures
        for entry in read_list(binding.known_failures)
    )


def case_of(id_: str) -> Case:
    """The case with an id; where an entry has a pattern of variations, that without them."""
    parsed = parse(id_.removesuffix("+*"))
    scenario = CATALOGUE.get(parsed.scenario)
    assert scenario, f"there is no scenario of {id_!r}"
    return make_case(scenario, parsed)


def rules_of(shown: tuple[Shown, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.entry.rule for each in shown))


def scenarios_of(shown: tuple[Shown, ...]) -> list[Scenario]:
    """The scenarios that show something, the shortest first."""
    scenarios = {each.case.scenario.id: each.case.scenario for each in shown}
    return sorted(scenarios.values(), key=_size)


def _size(scenario: Scenario) -> int:
    assert scenario.place
    return Path(scenario.place.file).stat().st_size
