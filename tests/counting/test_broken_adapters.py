"""Each rule about counts has findings for an adapter that breaks it, and none for correct ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.client.counting import Counting
from conformance.drivers.python import PythonDriver
from conformance.findings.words import message_of
from conformance.report.results import Result
from conformance.rules.counting import COUNT_RULES
from conformance.suite.counting.play import check, usage_report_for
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from tests.counting.broken_adapters import BROKEN, GOOD, ReportsNoCounts, TotalOnly
from tests.counting.counting_adapter import CountingAdapter
from tests.references import DIALECTS, reference

DEADLINE_MS = 3000


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped(), DEADLINE_MS) as bench:
        yield bench


def results(
    workbench: Workbench, make: Callable[[], object], dialect: str = "openresponses"
) -> dict[str, Result]:
    claims = Claims(count=True, limits=getattr(make, "claims_limits", False))
    path = Path("adapter.yaml")
    adapter = Description("it", {}, (dialect,), "vscode", path, Traits(), claims)
    driver = PythonDriver(make(), make)  # type: ignore[arg-type]
    session = workbench.drive(adapter, driver)
    try:
        return {id_: check(session, id_) for id_ in SEQUENCES}
    finally:
        driver.close()


@pytest.mark.parametrize(
    ("make", "rule", "level"), BROKEN, ids=[f"{rule}-{make.__name__}" for make, rule, _ in BROKEN]
)
def test_a_broken_adapter_breaks_its_rule_and_no_other(
    workbench: Workbench, make: type[CountingAdapter], rule: str, level: str
) -> None:
    found = [f for result in results(workbench, make).values() for f in result.findings]
    assert {(f.rule, f.level) for f in found} == {(rule, level)}, [message_of(f) for f in found]


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    assert {rule.id for rule in COUNT_RULES} == {rule for _, rule, _ in BROKEN}


def test_every_rule_is_part_of_a_sequence() -> None:
    asked = {rule.id for sequence in SEQUENCES.values() for rule in sequence.rules}
    assert asked | {"count-answered"} == {rule.id for rule in COUNT_RULES}


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_a_correct_adapter_that_counts_in_another_way_breaks_no_rule(
    workbench: Workbench, make: Callable[[], object]
) -> None:
    found = {
        id_: [message_of(finding) for finding in result.findings] or result.status
        for id_, result in results(workbench, make).items()
    }
    unasked = {id_ for id_ in found if found[id_] == "not-applicable"}
    assert set(found.values()) <= {"passed", "not-applicable"}, found
    assert unasked <= {"count/limits", "count/edited", "count/files", "count/tools"}
    assert ("count/edited" in unasked) == (make is TotalOnly)


def counts(dialect: str) -> bool:
    """Whether a dialect tells what a request has cost."""
    described = Description("it", {}, (dialect,), "vscode", Path("it.yaml"), Traits(), Claims())
    return usage_report_for(described) is not None


@pytest.mark.parametrize("dialect", [each for each in DIALECTS if counts(each)])
def test_the_reference_counter_is_right_in_any_dialect(workbench: Workbench, dialect: str) -> None:
    found = results(workbench, lambda: Counting(reference(dialect)), dialect)
    assert {result.status for result in found.values()} == {"passed"}, found
    assert not any(result.findings for result in found.values()), found


def test_counting_is_not_applicable_to_a_dialect_without_usage(workbench: Workbench) -> None:
    found = results(workbench, ReportsNoCounts, "vercel-ui")
    assert {result.status for result in found.values()} == {"not-applicable"}
    assert {result.why for result in found.values()} == {
        "no dialect that the adapter speaks tells what a request has cost"
    }


def test_the_usage_report_is_in_a_generation_that_the_adapter_reads() -> None:
    path, claims = Path("adapter.yaml"), Claims(count=True, generations=("v4", "seed"))
    dialects = ("vercel-ui", "vercel-fullstream")
    report = usage_report_for(Description("it", {}, dialects, "vscode", path, Traits(), claims))
    assert report
    assert (report.dialect, report.variations) == ("vercel-fullstream", ("v4",))
