"""For each row of the provider's table, an adapter without its handler fails the row's scenario."""

from collections.abc import Iterator

import pytest

from conformance.drivers.python import Adapter, PythonDriver
from conformance.findings.finding import Finding
from conformance.suite.session import Session
from conformance.suite.workbench import reference_adapters, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.rules.hosted_rows import ROWS, Row, case_of, complete, deaf
from tests.wireless import Wireless

(DESCRIPTION,) = (each for each in reference_adapters() if each.vocabulary == "stream")


@pytest.fixture(scope="module")
def upstream() -> Iterator[Wireless]:
    with Wireless(Catalogue.shipped()) as wireless:
        yield wireless


def findings(upstream: Wireless, adapter: Adapter, case: Case) -> list[Finding]:
    driver = PythonDriver(adapter)
    try:
        return list(run(Session(DESCRIPTION, driver, upstream), case).findings)
    finally:
        driver.close()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_an_adapter_without_the_handler_of_a_row_has_a_finding(
    row: Row, upstream: Wireless
) -> None:
    case = case_of(row)
    assert findings(upstream, complete(), case) == []
    assert findings(upstream, deaf(row), case) != []
