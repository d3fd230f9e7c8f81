"""Makes ``docs/findings.md`` from the known failures of the bindings in ``adapters/``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.suite.adapter_yaml import read_description
from conformance.suite.known_failures import Investigation, KnownFailure, read_list
from mockserver.scenario.catalogue import Catalogue
from tests.docs.catalogue_words import plain
from tests.docs.linked_sources import linked
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.adapter import Description
    from mockserver.scenario.model import Scenario

PLACE = ROOT / "docs" / "findings.md"
ADAPTERS = ROOT / "adapters"
CATALOGUE = Catalogue.shipped()

_HEAD = """\
# Findings

This page lists what published libraries do wrong with the scenarios of the catalogue. Each library
was driven by a *binding*, a program of a page or less in [adapters/](../adapters/README.md), which
translates what the library emits and repairs nothing. Every failure was investigated; where the kit
was at fault, it was corrected.

[catalogue.md](catalogue.md) says for each scenario what would have been right, and by which source;
[semantics.md](semantics.md) says for each rule when it holds and why.
`streamproof show SCENARIO --adapter adapters/BINDING/adapter.yaml` reproduces a finding, event by
event. Many libraries read both the Responses API and chat completions: the names of bindings for
chat completions end in `-chat`, and their descriptions are `adapters/BINDING/chat.yaml`. The AI SDK
is here with its providers, its core over the gateway, and its reader of UI messages; a number at
the end of a name is its version.

A stream is *legal*; or a *deviation* from its specification, which real upstreams send and good
adapters accept; or a *violation*, in which nobody can know what was meant, but an adapter still
must not invent or hide anything. Findings on legal streams have no excuse. What a library does on
streams of more than one conduct has a row for each of them.

| binding | dialect | packages | findings | on legal streams | scenarios |
| --- | --- | --- | ---: | ---: | ---: |
"""

_ORDER = ("legal", "deviation", "violation")
_FAULTS = {"library": "", "binding": " (the binding's fault)"}

_FOOT = """
This page is made from `adapters/*/known-failures*.yaml`. `pytest conformance --adapter` checks each
list: it fails if a failure is not listed, and if a listed one no longer happens.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A behaviour of a library, the rules that it breaks, and the scenarios that show it.

    The streams of the scenarios have the same conduct.
    """

    investigation: Investigation
    rules: tuple[str, ...]
    scenarios: tuple[Scenario, ...]

    @property
    def conduct(self) -> str:
        """The conduct of the upstream in the scenarios."""
        return self.scenarios[0].conduct


def described() -> list[Description]:
    """The descriptions of all bindings; a library that reads two dialects has two."""
    paths = [*ADAPTERS.glob("*/adapter.yaml"), *ADAPTERS.glob("*/chat.yaml")]
    return [read_description(path) for path in sorted(paths)]


def findings(description: Description) -> list[Finding]:
    """The findings about one library, those on legal streams first.

    A behaviour that is shown on streams of several conducts is a finding for each of them.
    """
    listed = read_list(description.known_failures) if description.known_failures else []
    groups: dict[tuple[Investigation, str], list[tuple[KnownFailure, Scenario]]] = {}
    for entry in listed:
        if scenario := CATALOGUE.get(re.split("[@+]", entry.case)[0]):
            group = groups.setdefault((entry.investigation, scenario.conduct), [])
            group.append((entry, scenario))
    found = [_finding(investigation, shown) for (investigation, _), shown in groups.items()]
    return sorted(found, key=lambda finding: _ORDER.index(finding.conduct))


def _finding(
    investigation: Investigation, shown: Sequence[tuple[KnownFailure, Scenario]]
) -> Finding:
    rules = tuple(dict.fromkeys(entry.rule for entry, _ in shown))
    scenarios = {scenario.id: scenario for _, scenario in shown}
    return Finding(investigation, rules, tuple(sorted(scenarios.values(), key=_size)))


def _size(scenario: Scenario) -> int:
    assert scenario.place
    return Path(scenario.place.file).stat().st_size


def packages(folder: Path) -> list[str]:
    """The pinned packages of a binding, as name and version."""
    pinned = folder / "requirements.txt"
    if pinned.exists():
        lines = pinned.read_text("utf-8").splitlines()
        return [line.replace("==", " ") for line in lines if not line.startswith("-r ")]
    manifest = json.loads(folder.joinpath("package.json").read_text("utf-8"))
    return [f"{name} {version}" for name, version in manifest["dependencies"].items()]


def page() -> str:
    """The text that `docs/findings.md` must have."""
    all_ = [(description, findings(description)) for description in described()]
    table = "".join(_row(description, found) for description, found in all_)
    sections = [line for each in all_ for line in _section(*each)]
    return _HEAD + table + "\n".join(["", *sections]) + _FOOT


def write() -> None:
    """Write `docs/findings.md`."""
    PLACE.write_text(page(), "utf-8")


def _row(description: Description, found: Sequence[Finding]) -> str:
    name, dialect = description.name, ", ".join(description.dialects)
    legal = sum(finding.conduct == "legal" for finding in found)
    shown = len({scenario.id for finding in found for scenario in finding.scenarios})
    pinned = ", ".join(packages(description.path.parent))
    anchor = name.replace(".", "")
    return f"| [{name}](#{anchor}) | {dialect} | {pinned} | {len(found)} | {legal} | {shown} |\n"


def _section(description: Description, found: Sequence[Finding]) -> Iterator[str]:
    name = description.name
    yield from (f"## {name}", "", plain(description.about), "")
    if not found:
        yield from ("Nothing is known to fail.", "")
        return
    yield from ("| stream | what it does | shown by | rules |", "| --- | --- | --- | --- |")
    for finding in found:
        fault = _FAULTS[finding.investigation.fault]
        cells = (
            finding.conduct,
            plain(finding.investigation.does) + fault,
            _shown_by(finding),
            ", ".join(f"[`{rule}`](semantics.md#{rule})" for rule in finding.rules),
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _shown_by(finding: Finding) -> str:
    first, *others = finding.scenarios
    link = f"[`{first.id}`](../scenarios/{first.id}.yaml)"
    more = f" and {len(others)} more" if others else ""
    return f"{link}{more} ({'; '.join(map(linked, (first.source or first.seen)[:2]))})"
