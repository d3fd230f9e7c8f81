"""A finding counts only if it has its five parts, and everything that its proof cites is there."""

import re

from conformance.contract.proof import Proof
from conformance.report.reproduction import render_answers
from conformance.report.sources import anchor_of, link, paragraphs
from conformance.rules.tables import KINDS
from conformance.suite.known_failures import read_list
from streamproof._commands.repro import binding_of
from tests.docs.findings import (
    ADAPTERS,
    Finding,
    described,
    findings,
    full_name,
    libraries,
    seen,
    shown,
)
from tests.docs.findings_page import pages, path_of
from tests.rows import row

FOUND = [finding for library in libraries() for finding in findings(library)]


def test_the_stream_is_one_that_the_library_meets() -> None:
    for finding in FOUND:
        upstream, case = finding.proof.upstream, finding.case
        with row(str(finding.proof.place)):
            if upstream.kind == "legal":
                assert case.standing == "legal"
                assert_resolves(upstream.at)
                assert upstream.line.encode() in render_answers(case)["bytes.bin"]
            else:
                assert case.standing in ("deviation", "violation")
                assert (upstream.at, upstream.line) in [(each.at, each.line) for each in case.seen]


def assert_resolves(source: str) -> None:
    address = link(source)
    anchor = anchor_of(address)
    assert anchor in paragraphs() if anchor else address.startswith("https://")


def test_something_binds_the_library() -> None:
    for finding in FOUND:
        duty = finding.proof.duty
        with row(str(finding.proof.place)):
            if duty.kind == "itself":
                assert duty.says in finding.proof.shown.came
            elif duty.kind == "must":
                assert_resolves(duty.at)
                assert not anchor_of(link(duty.at)), "a paragraph of ours binds nobody else"


def test_harm_is_shown_at_the_layer_of_users() -> None:
    for finding in FOUND:
        with row(str(finding.proof.place)):
            binding = binding_of(finding.binding, finding.proof.case)
            assert binding.program, "the binding has no program"
            called = re.findall(r"\w+", finding.proof.layer)[-1]
            assert called in binding.files[binding.program].decode(), "its program does not call it"


def test_a_finding_is_listed_by_its_binding_in_the_case_that_is_played() -> None:
    for finding in FOUND:
        proof = finding.proof
        with row(str(proof.place)):
            mine = [each for each in finding.shown if each.binding == finding.binding]
            listed = [(each.entry.case, each.entry.rule, each.entry.kind) for each in mine]
            assert (proof.case, proof.rule, proof.kind) in listed
            assert {each.entry.notes.fault for each in finding.shown} == {"library"}


def test_a_defect_is_one_finding() -> None:
    for library in libraries():
        with row(library.name):
            proofs: list[Proof] = [finding.proof for finding in findings(library)]
            assert len({proof.does for proof in proofs}) == len(proofs)
            assert len({proof.name for proof in proofs}) == len(proofs)


def test_an_entry_that_names_a_finding_has_its_proof() -> None:
    proven = {f"{each.binding.path.parent.name}/{each.proof.name}" for each in FOUND}
    for each in shown():
        if name := full_name(each):
            assert name in proven, each.entry.place


def test_a_listed_failure_has_a_kind_of_its_rule() -> None:
    for binding in described():
        with row(binding.name):
            listed = read_list(binding.known_failures) if binding.known_failures else []
            assert {(each.rule, each.kind) for each in listed} <= set(KINDS)


def test_a_file_of_proofs_belongs_to_a_binding() -> None:
    own = {binding.companion("proofs", ".yaml") for binding in described()}
    assert set(ADAPTERS.glob("*/proofs*")) <= own


def test_only_findings_count() -> None:
    overview, *_ = (text for path, text in pages().items() if path.name == "findings.md")
    for library in libraries():
        with row(library.name):
            mine: list[Finding] = findings(library)
            legal = sum(finding.case.standing == "legal" for finding in mine)
            other = sum(not each.is_choice for each in seen(library))
            (line,) = (each for each in overview.splitlines() if f"[{library.name}](" in each)
            assert line.endswith(f" | {len(mine)} | {legal} | {other} |")
            assert pages()[path_of(library)].count("\n- Reproduction: `streamproof repro ") == len(
                mine
            )
