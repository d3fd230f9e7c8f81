"""``streamproof report --issue``: a case as the text of an issue for a library's tracker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report.issue import issue
from conformance.suite.adapter_yaml import read_description
from conformance.suite.proofs import proofs_of
from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import Problem, UserError
from streamproof._commands.cases import adapter_for, case_of_name
from streamproof._commands.repro import binding_of, reproduce

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conformance.contract.adapter import Description
    from conformance.contract.proof import Proof
    from conformance.findings.finding import Finding

Reports = list[tuple["Finding", "Proof | None"]]


def issue_about(name: str, adapter: Path, scenarios: Sequence[Path]) -> tuple[str, bool]:
    """Play a case to an adapter; returns the text, and whether each finding in it is confirmed.

    Raises UserError if the run has no findings of level must.
    """
    catalogue = Catalogue.shipped(*scenarios)
    description = read_description(adapter)
    selected = case_of_name(name, catalogue, description.dialects)
    described = adapter_for([description], selected)
    binding = binding_of(described, str(selected))
    with Workbench(catalogue) as workbench:
        result, files = reproduce(workbench.session(described), selected, binding)
    if result.transcript and result.transcript.verdict == "broke-protocol":
        hint = f"streamproof adapter check {adapter} shows its messages"
        message = f"{described.name} broke the protocol between it and the kit in {selected}"
        raise UserError(Problem(message, hint=hint))
    reports = _with_proofs(described, str(selected), result.findings)
    if not reports:
        hint = f"streamproof show {selected} --adapter {adapter} shows the run"
        raise UserError(Problem(f"{described.name} does what is right in {selected}", hint=hint))
    text = issue(selected, result, reports, files, binding)
    return text, all(proof for _, proof in reports)


def _with_proofs(described: Description, case: str, findings: Sequence[Finding]) -> Reports:
    """The findings of level must with their proofs; if some have one, these alone."""
    proofs = {(each.rule, each.kind): each for each in proofs_of(described) if each.case == case}
    reports: Reports = [
        (finding, proofs.get((finding.rule, finding.kind.name)))
        for finding in findings
        if finding.level == "must"
    ]
    return [report for report in reports if report[1]] or reports
