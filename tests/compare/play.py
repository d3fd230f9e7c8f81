"""Prints the findings of one checkout: ``python -m tests.compare.play [--all] [MEMBER …]``.

Each line is a JSON object: a finding with its member, case and cause. Without names of members, all
are played, and those that wait only with ``--all``. Names that this checkout lacks are skipped.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects import KIT
from conformance.dialects.recording import read_dump
from conformance.drivers.python import PythonDriver
from conformance.findings.causes import cause_of
from conformance.findings.finding import Finding
from conformance.report.recorded import read_results
from conformance.rules.streams import judge_stream
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.counting import test_broken_adapters as counting
from tests.counting.broken_adapters import BROKEN as MISCOUNTING
from tests.drivers import test_claims
from tests.rules import test_broken_adapters as rules
from tests.rules import test_usage
from tests.rules.broken import BROKEN_ADAPTERS
from tests.rules.broken.broken_adapter import DECLARED, BrokenAdapter
from tests.stream.tables import broken_streams
from tests.suite import misbehaving, test_cancel, test_checkpoints
from tests.suite.run_by import Run, RunBy
from tests.turns import broken_adapters as turn_adapters
from tests.turns import test_rules as turns

Found = Iterable[tuple[str, Finding]]
Reach = Literal["few", "all"]

_SHORT_MS = 500
FEW = ("any/refusal", "any/text-and-call-interleave", "any/cancel-in-a-burst")
"""The scenarios for adapters that misbehave in every run."""

_EVERY = 6
"""Adapters that miss deadlines are played only every sixth case of the catalogue."""


@cache
def _workbench(deadline_ms: int | None = None) -> Workbench:
    catalogue = Catalogue.shipped()
    return Workbench(catalogue) if deadline_ms is None else Workbench(catalogue, deadline_ms)


def _each(found: Mapping[str, Iterable[Finding]]) -> Found:
    return [(case, finding) for case, findings in found.items() for finding in findings]


# Adapters that emit something wrong


def _rules(broken: BrokenAdapter, reach: Reach) -> Found:
    every = _EVERY if broken.name == "NeverEnds" else 1
    return _each(rules.findings_of(_workbench(), broken, reach, every))


def _miscounts(dialect: str, make: Callable[[], Any], reach: Reach) -> Found:
    """Findings about an adapter that reports half of the usage."""
    parts = dialect == test_usage.DIALECT
    vocabulary = test_usage.GATEWAY.vocabulary if parts else "vscode"
    traits = test_usage.AS_PARTS if parts else Traits()
    described = rules.described("counts", traits, Claims(), vocabulary, dialect)
    return _each(rules.findings(_workbench(), described, make(), reach=reach))


def _spoilt(how: Run, _: Reach) -> Found:
    described = rules.described(how.__name__, DECLARED, Claims(cancel=True))
    return _each(rules.findings(_workbench(), described, RunBy(how), every=_EVERY))


_HOWS: tuple[Run, ...] = (
    test_cancel.joins,
    test_cancel.joins_half,
    test_cancel.refuses,
    test_cancel.leaves_early,
    test_checkpoints.at_the_end,
)

# Adapters whose requests are wrong


def _turns(dialect: str, broken: turn_adapters.BrokenAdapter, reach: Reach) -> Found:
    until = broken.rule if reach == "few" else ""
    share = turns.share_of(broken)
    return _each(turns.findings(_workbench(), dialect, broken, until, share))


def _to_a_gateway(broken: turn_adapters.BrokenAdapter, reach: Reach) -> Found:
    driven, until = turn_adapters.provider(broken), broken.rule if reach == "few" else ""
    share = turns.share_of(broken)
    found = turns.found_in(_workbench(), "vercel-gateway", "stream", Traits(), driven, until, share)
    return _each(found)


def _references_unknown_items(_: Reach) -> Found:
    driven = turns.sending_references("msg_other")
    return _each(turns.found_in(_workbench(), "openresponses", "vscode", Traits(), driven))


# Adapters that count wrongly, or claim too much


def _counts(make: Callable[[], object], _: Reach) -> Found:
    results = counting.results(_workbench(counting.DEADLINE_MS), make)
    return _each({id_: result.findings for id_, result in results.items()})


def _claims(_reach: Reach) -> Found:
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        for name, mode, id_, *_ in test_claims.BROKEN:
            argv = [*test_claims.CLAIMING, mode]
            described = test_claims.described(Path(folder), "stdio", argv, test_claims.ALL)
            for finding in test_claims.asked(described, id_).findings:
                yield f"{name}: {id_}", finding


# Adapters that misbehave in every run


def _misbehaves(how: misbehaving.Run, _: Reach) -> Found:
    async def then(inner: Any, asked: Any, emit: Any, cancel: Any) -> Any:
        await inner.run(asked, emit, cancel)
        return await how(asked, emit, cancel)

    described = rules.described(how.__name__, DECLARED, Claims(cancel=True))
    driver = PythonDriver(RunBy(then))
    session = replace(
        _workbench().drive(described, driver), patience=rules.PATIENCE, deadline_ms=_SHORT_MS
    )
    try:
        for id_ in FEW:
            scenario = _workbench().catalogue.get(id_)
            assert scenario
            result = run(session, Case(scenario, "openresponses"))
            yield from ((result.case, finding) for finding in result.findings)
    finally:
        driver.close()


# Streams


def _streams(dialect: str, _: Reach) -> Found:
    for stream in broken_streams():
        if stream.dialect == dialect:
            dump = read_dump(stream.data, "stream")
            for finding in judge_stream(dump.events, dump.framing, dialect):
                yield str(stream), finding


MEMBERS: dict[str, Callable[[Reach], Found]] = {
    **{f"streams of {dialect}": partial(_streams, dialect) for dialect in KIT},
    **{f"{a.rule}-{a.name}": partial(_rules, a) for a in BROKEN_ADAPTERS},
    **{
        f"usage-last-{make.__name__}": partial(_miscounts, dialect, make)
        for dialect, make in test_usage.HALVES.items()
    },
    **{
        f"{broken.rule}-{broken.name}@{dialect}": partial(_turns, dialect, broken)
        for dialect, broken in turns.BROKEN_IN_DIALECTS
    },
    **{
        f"{a.rule}-{a.name}@vercel-gateway": partial(_to_a_gateway, a)
        for a in (*turns.GATEWAY, *turn_adapters.OF_PROVIDERS)
    },
    "turn-history-ReferencesUnknownItems": _references_unknown_items,
    **{f"{rule}-{make.__name__}": partial(_counts, make) for make, rule, _ in MISCOUNTING},
}
"""For each broken adapter, and the broken streams of each dialect, a function for its findings."""

WAITING: dict[str, Callable[[Reach], Found]] = {
    "claims": _claims,
    **{case[0].__name__: partial(_misbehaves, case[0]) for case in misbehaving.MISBEHAVING},
    **{how.__name__: partial(_spoilt, how) for how in _HOWS},
}
"""Adapters whose runs last until deadlines."""


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
        for each in read_results(out).results.values():
            case = f"{each.adapter}: {each.case}"
            yield from ((case, finding) for finding in each.findings)


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
    names = [each for each in sys.argv[1:] if each != "--all"]
    reach: Reach = "all" if "--all" in sys.argv else "few"
    members = {"reference adapters": lambda _: _references(), **MEMBERS, **WAITING}
    chosen = set(names) or set(members) - (set() if reach == "all" else set(WAITING))
    for member in filter(chosen.__contains__, members):
        for found in members[member](reach):
            print(json.dumps(_line(member, *found)), flush=True)


if __name__ == "__main__":
    main()
