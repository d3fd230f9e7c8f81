"""The requirements that CONTRIBUTING.md lists for a dialect, a vocabulary, a rule and so on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import yaml

from conformance.dialects import KIT
from conformance.dialects.contracts import contracts_of
from conformance.findings.finding import Rule
from conformance.rules import RULES
from conformance.rules.counting import COUNT_RULES
from conformance.rules.framing import FRAMING_RULES
from conformance.rules.hosted import HOSTED_RULES
from conformance.rules.requests import TURN_RULES
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import FAULT_FAMILIES, VARIATIONS
from mockserver.dialects import DIALECTS
from tests.contributing.piece import Condition, Entry, Needed, Piece
from tests.docs.pages import ROOT
from tests.stream import musts

MOCK_REGISTRY = "mockserver/dialects/__init__.py"
KIT_REGISTRY = "conformance/dialects/__init__.py"


def folder_of(dialect: str) -> str:
    """The folder of a dialect; those of one family share one with the family's name."""
    return dialect.partition("-")[0]


def kit_folder(dialect: str) -> str:
    return f"conformance/dialects/{folder_of(dialect)}"


def breaks(dialect: str) -> str:
    """The table of what the variations of a dialect break."""
    return f"{kit_folder(dialect)}/variations.yaml"


# A dialect


def dialect(name: str) -> list[Needed]:
    folder = folder_of(name)
    return [
        Piece(f"mockserver/dialects/{folder}/__init__.py"),
        Piece(f"{kit_folder(name)}/__init__.py"),
        *registered(name),
        Piece(f"schemas/events/{name}.json"),
        Piece(f"schemas/requests/{name}.json"),
        *adapters(name, f"{kit_folder(name)}/reference/*.yaml"),
        Piece(f"scenarios/{folder}/**/*.yaml"),
        Piece(f"{kit_folder(name)}/sources.yaml"),
        Piece(f"{kit_folder(name)}/remedies.yaml"),
        Piece(
            f"{kit_folder(name)}/events.yaml", rf"^  {name}: ", "no words for the page of events"
        ),
        Piece(f"{kit_folder(name)}/streams.yaml", rf"dialect: {name}$", "no legal stream"),
        Piece(breaks(name), rf"^{name}:$", "what its variations break"),
    ]


def registered(name: str) -> list[Needed]:
    """A dialect's entries in the registries of the mock and the kit."""
    return [Entry(MOCK_REGISTRY, DIALECTS, name), Entry(KIT_REGISTRY, KIT, name)]


def adapters(name: str, pattern: str) -> Iterator[Piece]:
    """The descriptions of a dialect's reference adapters, and the modules that they name."""
    yield Piece(pattern, rf"^dialects: \[.*\b{name}\b", "no adapter claims the dialect")
    described = [yaml.safe_load(path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern))]
    for each in described:
        if name in each["dialects"]:
            module, _, _ = each["drive"]["python"].partition(":")
            yield Piece(f"{module.replace('.', '/')}.py")


# A vocabulary


def vocabulary(name: str) -> list[Needed]:
    """What a vocabulary requires; its constant is its name in capitals."""
    value = name.upper()
    return [
        Piece(f"conformance/vocabularies/{name}.py", rf"^{value}\b.* = ", f"no {value}"),
        Piece(
            "conformance/vocabularies/__init__.py", rf"VOCABULARIES:[^}}]*\b{value}\b", "no entry"
        ),
        Piece(f"schemas/parts/{name}.json"),
        Piece("schemas/adapter.json", rf'"vocabulary": {{"enum": \[.*"{name}"', "not in the enum"),
        Piece(f"node/lib/vocabularies/{name}.js"),
        Piece("node/reading.js", rf"^const VOCABULARIES = .*\b{name}\b", "no entry"),
        Piece("node/reading.d.ts", rf'^  vocabulary\?: .*"{name}"', "not in the type"),
        *_summaries(name),
        Piece("tests/vocabularies/*.py", rf"\b{value}\b", "no test"),
        Piece("docs/adapters.md", rf"the vocabulary `{name}` \(`schemas/parts/", "no parts"),
    ]


def _summaries(name: str) -> Iterator[Piece]:
    """The line of the summary module for each type of part that the vocabulary can make."""
    page, missing = "conformance/report/summary.py", "no summary of its parts"
    if (words := VOCABULARIES.get(name)) is None:
        yield Piece(page, rf'"type": "{name}"', missing)
        return
    parts = (words.text("Hi."), words.thinking("Hm."), words.call("call_1", "search", {}))
    for type_ in dict.fromkeys(part["type"] for part in parts):
        # One of the values of a pattern, as in `case {"type": "text" | "thinking" as kind, …}:`
        yield Piece(page, rf' "{type_}"(?=,| \|| as )', f"no summary of {type_}")


# A rule


@dataclass(frozen=True, slots=True)
class Subject:
    """A group of rules: their folder, their table, and what breaks them.

    ``breaks`` is how the id of a rule stands in the files ``broken``.
    """

    folder: str
    table: str
    rules: Sequence[Rule[Any]]
    broken: str
    breaks: str = '"{}"'


def _stream_rules(dialect: str) -> Subject:
    folder = kit_folder(dialect)
    rules = KIT[dialect].legality.rules
    return Subject(f"{folder}/legality", r"\w+", rules, f"{folder}/streams.yaml", "^  {}:$")


SUBJECTS: Mapping[str, Subject] = {
    "run": Subject(
        "conformance/rules",
        "RULES",
        [rule for rule in RULES if rule not in (*FRAMING_RULES, *HOSTED_RULES)],
        "tests/rules/**/*.py",
    ),
    "framing": Subject(
        "conformance/rules/framing", "FRAMING_RULES", FRAMING_RULES, "tests/rules/**/*.py"
    ),
    "hosted": Subject(
        "conformance/rules/hosted", "HOSTED_RULES", HOSTED_RULES, "tests/rules/**/*.py"
    ),
    "request": Subject(
        "conformance/rules/requests", "TURN_RULES", TURN_RULES, "tests/turns/**/*.py"
    ),
    "count": Subject(
        "conformance/rules/counting", "COUNT_RULES", COUNT_RULES, "tests/counting/**/*.py"
    ),
    **{dialect: _stream_rules(dialect) for dialect in KIT},
}


def rule(id_: str, about: str) -> list[Needed]:
    """What a rule requires; its check has its id as its name."""
    subject, name = SUBJECTS[about], id_.replace("-", "_")
    table = rf"^ *{subject.table}\b[^()]*\([^()]*\b{name},"
    code = rf"^@rule\(.*\n(?:[ )].*\n)*def {name}\("
    sources = [each.source for each in subject.rules if each.id == id_]
    return [
        Piece(f"{subject.folder}/**/*.py", code, f"no rule {id_}"),
        Piece(f"{subject.folder}/__init__.py", table, "in no table"),
        Piece(subject.broken, subject.breaks.format(id_), f"nothing that breaks {id_}"),
        Piece("conformance/**/remedies.yaml", rf"^{id_}: >-\n", f"no remedy for {id_}"),
        Piece("docs/semantics.md", rf"^### {id_}\n\n.+", f"no paragraph '### {id_}'"),
        *(_source(cited) for several in sources for cited in several.split("; ")),
    ]


def _source(cited: str) -> Piece:
    name = cited.partition(" § ")[0]
    return Piece("conformance/**/sources.yaml", rf'^"?{re.escape(name)}"?:$', f"no source {name}")


# A variation

_ENTRIES = list(Catalogue.shipped().entries())


def variation(name: str) -> list[Needed]:
    """What a variation requires.

    Which rules it breaks is seen with one legal scenario of a dialect; ``test_legal`` plays more.
    """
    dialects = [d for d in DIALECTS if name in VARIATIONS and VARIATIONS[name].applies_to(d)]
    changes = any(True for dialect in dialects for _ in _changed(name, dialect))
    pieces: list[Needed] = [
        Entry("mockserver/cases/variations.py", VARIATIONS, name),
        Piece("docs/server.md", rf"^\| `{name}` \|", "no row"),
        Condition("scenarios", changes, f"none that {name} changes"),
    ]
    for dialect in dialects:
        legal = (case for case in _changed(name, dialect) if case.scenario.is_specified)
        if broken := {rule for case in islice(legal, 1) for rule in musts(case)}:
            listed = rf"^{dialect}:\n(?:  .*\n)*    {name}: \["
            missing = f"{name} breaks {', '.join(sorted(broken))} of {dialect}"
            pieces.append(Piece(breaks(dialect), listed, missing))
    return pieces


def _changed(name: str, dialect: str) -> Iterator[Case]:
    """The cases of the catalogue that a variation changes in a dialect."""
    for scenario in (entry.scenario for entry in _ENTRIES if entry.scenario):
        case = Case(scenario, dialect, (name,))
        if dialect in scenario.dialects and not misfit(case) and differs(case):
            yield case


# A fault


def fault(family: str) -> list[Needed]:
    return [
        Entry("mockserver/cases/variations.py", FAULT_FAMILIES, family),
        Piece("mockserver/stream_faults/*.py", rf'Family\(\s*"{family}",', f"no family {family}"),
        Piece("docs/server.md", rf"^\| `{family}:\S+` \|", f"no row for {family}"),
    ]


# A profile


def profile(name: str, dialect: str) -> list[Needed]:
    folder = folder_of(dialect)
    known = (c for c in contracts_of(dialect) if c.profile.name == name)
    exceptions = [exception for contract in known for exception in contract.exceptions]
    judged = Piece(
        f"{kit_folder(dialect)}/exceptions.yaml", rf"^    {name}:", f"no exceptions of {name}"
    )
    return [
        Piece(
            f"mockserver/dialects/{folder}/profiles.py",
            rf'^ +(Profile\()?"{name}"[:,]',
            f"no {name}",
        ),
        *([judged] if exceptions else []),
        *(
            Piece(
                f"{kit_folder(dialect)}/streams.yaml",
                rf"^    {exception.id}:",
                f"no example of {exception.id}",
            )
            for exception in exceptions
        ),
        Piece("docs/server.md", rf"^\| `{name}` \| a profile", "no row"),
    ]


# A driver


def driver(key: str) -> list[Needed]:
    """What a driver requires; ``key`` is its key in ``drive``."""
    class_ = f"{key.title()}Driver"
    return [
        Piece("conformance/drivers/*.py", rf"^class {class_}\b", f"no {class_}"),
        Piece("conformance/drivers/kinds.py", rf'^    "{key}": ', f"no {key}"),
        Piece("schemas/adapter.json", rf'"drive": {{\n(?: .*\n)*? +"{key}": {{', f"no {key}"),
        Piece("tests/drivers/**/*.py", rf'\b{class_}\b|"{key}"', f"no test of {key}"),
        Piece("docs/adapters.md", rf"^\| `{key}` \|", f"no row for {key}"),
    ]
