"""A finding counts only if it is proven."""

import json
import re

from conformance.contract.adapter import Description
from conformance.report.sources import anchor_of, link, paragraphs
from conformance.rules.tables import KINDS
from conformance.suite.adapter_yaml import read_description
from conformance.suite.known_failures import read_list
from conformance.suite.proofs import proofs_of
from streamproof._commands.repro import binding_of
from tests.docs.findings import (
    ADAPTERS,
    CLIENTS,
    Finding,
    core_of,
    described,
    findings,
    scenario_of,
    seen_in_host_alone,
)
from tests.docs.findings_page import pages, path_of_binding
from tests.rows import row

BINDINGS = described()
PROOFS = [proof for binding in BINDINGS for proof in proofs_of(binding)]


def confirmed(binding: Description) -> list[Finding]:
    return [finding for finding in findings(binding) if finding.kind == "confirmed"]


def test_a_confirmed_finding_has_a_reproduction_a_clause_and_an_argument() -> None:
    for binding in BINDINGS:
        for finding in confirmed(binding):
            proof = finding.proof
            assert proof
            assert binding_of(binding).program, f"{proof.place}: the binding has no program"
            assert proof.shown.came, proof.place
            assert proof.clause, proof.place
            assert proof.counter, proof.place
            assert proof.answer, proof.place


def test_the_link_of_a_clause_resolves() -> None:
    for proof in PROOFS:
        address = link(proof.source)
        anchor = anchor_of(address)
        assert anchor in paragraphs() if anchor else address.startswith("https://"), proof.place


def test_the_words_of_a_clause_that_this_project_restates_are_in_the_paragraph() -> None:
    for proof in PROOFS:
        if anchor := anchor_of(link(proof.source)):
            quoted = (words.strip() for words in proof.clause.split("…"))
            missing = [words for words in quoted if words not in paragraphs()[anchor].plain]
            assert not missing, f"{proof.place}: docs/semantics.md#{anchor} lacks {missing}"


def test_a_proof_is_about_a_listed_failure_and_no_two_about_the_same() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            assert binding.known_failures
            listed = {
                (entry.notes.does, entry.case, entry.notes.fault)
                for entry in read_list(binding.known_failures)
            }
            proven: set[tuple[str, str]] = set()
            for proof in proofs_of(binding):
                assert (proof.does, proof.case, "library") in listed, (
                    f"{proof.place}: no such failure"
                )
                scenario = scenario_of(proof.case)
                assert scenario
                behaviour = (proof.does, scenario.conduct)
                assert behaviour not in proven, f"{proof.place}: twice"
                proven.add(behaviour)


def test_a_listed_failure_has_a_kind_of_its_rule() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            listed = read_list(binding.known_failures) if binding.known_failures else []
            named = [(each.rule, each.kind) for each in listed]
            named += [(each.rule, each.kind) for each in proofs_of(binding)]
            assert set(named) <= set(KINDS)


def test_a_file_of_proofs_belongs_to_a_binding() -> None:
    own = {binding.companion("proofs", ".yaml") for binding in BINDINGS}
    assert set(ADAPTERS.glob("*/proofs*")) <= own


def test_each_finding_is_confirmed() -> None:
    without = {
        (binding.name, scenario.id)
        for binding in BINDINGS
        if not seen_in_host_alone(binding)
        for finding in findings(binding)
        if finding.kind == "not confirmed"
        for scenario in finding.scenarios
    }
    assert without == set()


def test_what_no_program_shows_stands_apart_with_its_commit_and_the_way_to_see_it() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            path = path_of_binding(binding)
            section = pages()[path].split("### Seen in the host alone")
            is_apart = len(section) == 2
            assert is_apart == seen_in_host_alone(binding)
            if is_apart:
                checkout = json.loads(binding.path.with_name("checkout.json").read_text("utf-8"))
                assert confirmed(binding) == []
                assert "### Not confirmed" not in pages()[path]
                assert checkout["commit"] in section[1]
                assert checkout["in_editor"] in section[1]


def test_a_finding_about_the_core_of_the_ai_sdk_counts_once_for_each_of_its_versions() -> None:
    counted: dict[tuple[str, str], set[str]] = {}
    for binding in BINDINGS:
        for finding in confirmed(binding) if binding.vocabulary == "fullstream" else ():
            key = (finding.notes.does, core_of(binding))
            counted.setdefault(key, set()).add(binding.name)
    assert counted
    assert {key: names for key, names in counted.items() if len(names) > 1} == {}


def test_a_finding_about_a_client_is_proven_once_and_listed_with_each_library_on_it() -> None:
    with_it: set[str] = set()
    for binding in BINDINGS:
        library = binding.path.parent.name
        if library in CLIENTS:
            client = read_description(ADAPTERS / CLIENTS[library] / binding.path.name)
            proven = {proof.does for proof in proofs_of(client)}
            assert proven.isdisjoint(proof.does for proof in proofs_of(binding)), binding.name
            if any(finding.shown_by == client.name for finding in findings(binding)):
                with_it.add(library)
    assert with_it == set(CLIENTS)


def test_only_confirmed_findings_count() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            path, texts = path_of_binding(binding), pages()
            mine = confirmed(binding)
            (listed,) = (
                line
                for text in texts.values()
                for line in text.splitlines()
                if f">[{binding.name}](" in line.replace("</a>", ">")
            )
            legal = [finding for finding in mine if finding.conduct == "legal"]
            assert listed.endswith(f" | {len(mine)} | {len(legal)} |")
            assert path in texts
            heading = rf"^## {re.escape(binding.name)}$"
            section = re.split(heading, texts[path], flags=re.MULTILINE)[1]
            ends = r"^(?:## |### Not confirmed|### Seen|### Where)"
            before = re.split(ends, section, flags=re.MULTILINE)[0]
            assert before.count("\n- Reproduction: `streamproof repro ") == len(mine)
