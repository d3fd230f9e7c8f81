"""Plays the scenarios whose host offers hosted tools, without sockets."""

from functools import cache
from pathlib import Path
from typing import Any

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.drivers.python import PythonDriver
from conformance.findings.finding import Finding
from conformance.suite.session import Session
from conformance.suite.workbench import run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.model import Scenario
from tests.wireless import Wireless

CATALOGUE = Catalogue.shipped()


@cache
def scenarios() -> tuple[Scenario, ...]:
    """The scenarios whose host offers hosted tools, but for those without any call of them."""
    shipped = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
    offered = (s for s in shipped if any("type" in tool for tool in s.host.tools))
    return tuple(s for s in offered if not s.id.endswith("-after-compaction"))


def described(claims: Claims) -> Description:
    path, traits = Path("adapter.yaml"), Traits(framing="none")
    return Description("hosted", {}, ("openresponses",), "stream", path, traits, claims)


def findings(upstream: Wireless, driven: Any, *played: Scenario) -> list[Finding]:
    driver = PythonDriver(driven)
    session = Session(described(Claims(turns=True, approvals=True)), driver, upstream)
    try:
        results = [run(session, Case(scenario, "openresponses")) for scenario in played]
    finally:
        driver.close()
    return [finding for result in results for finding in result.findings]
