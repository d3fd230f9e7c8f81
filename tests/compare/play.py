"""Prints the findings of one checkout: ``python -m tests.compare.play [--all] [MEMBER …]``.

Each line is a JSON object: a finding with its member, case and cause. Without names of members, all
are played, and those that wait only with ``--all``. Names that this checkout lacks are skipped.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.findings.causes import cause_of
from conformance.findings.finding import Finding
from conformance.report.recorded import read_results
from mockserver.cases.catalogue import Catalogue
from tests.compare.members import MEMBERS, WAITING, Reach

_CATALOGUE = Catalogue.shipped()


def _references() -> Iterable[tuple[str, Finding]]:
    """The findings about the reference adapters, which the suite plays in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        out = Path(folder) / "results.jsonl"
        options = ["-q", "-p", "no:cacheprovider", "--results", str(out)]
        command = [sys.executable, "-m", "pytest", "conformance", *options]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8")
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"the suite ended with {ran.returncode}: {ran.stdout[-2000:]}")
        for each in read_results(out).results:
            case = f"{each.result.adapter}: {each.result.case}"
            yield from ((case, finding) for finding in each.result.findings)


def _line(member: str, case: str, finding: Finding) -> dict[str, Any]:
    rule, kind, same = cause_of(finding)
    scenario = _CATALOGUE.get(re.split("[@+]", case.rpartition(": ")[2])[0])
    of_no_scenario = "violation" if member.startswith("streams of ") else "legal"
    return {
        "member": member,
        "case": f"{case}#{finding.turn}" if finding.turn else case,
        "conduct": scenario.conduct if scenario else of_no_scenario,
        "cause": [rule, kind, *same],
        "level": finding.level,
    }


def main() -> None:
    """Run the command."""
    names = [each for each in sys.argv[1:] if each != "--all"]
    reach: Reach = "all" if "--all" in sys.argv else "few"
    members = {"reference adapters": lambda _: _references(), **MEMBERS, **WAITING}
    chosen = set(names) or set(members) - (set() if reach == "all" else set(WAITING))
    for member in filter(chosen.__contains__, members):
        for found in members[member](reach):
            print(json.dumps(_line(member, *found)), flush=True)


if __name__ == "__main__":
    main()
