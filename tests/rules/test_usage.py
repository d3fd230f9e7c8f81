"""The rule usage-last for the AI SDK's streams, whose layers report token counts differently."""

from typing import Any

import pytest

from conformance.contract.adapter import CLAIMS_NOTHING, Claims
from conformance.contract.traits import Traits
from conformance.dialects import CLIENTS
from conformance.dialects.vercel.reference.vscode import fullstream
from conformance.drivers.python import Emit, PythonDriver
from conformance.findings.words import message_of
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from tests.rules.broken.broken_adapter import Data, Part, Wrapped
from tests.rules.test_broken_adapters import described

DIALECT = "vercel-gateway"
GATEWAY = CLIENTS[DIALECT]
AS_PARTS = Traits(annotations="data", errors="part")


class HalfOfFullStream(Wrapped):
    """Reports half of the tokens in the `finish` of a full stream."""

    def __init__(self) -> None:
        self.inner = fullstream()

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {side: count // 2 for side, count in done["usage"].items()}}


class HalfOfParts(Wrapped):
    """Reports half of the tokens in the last part of a provider's stream."""

    def __init__(self) -> None:
        self.inner = GATEWAY.make()

    def part(self, part: Part, emit: Emit) -> None:
        usage = part.get("usage")
        half = {side: {"total": count["total"] // 2} for side, count in (usage or {}).items()}
        emit({**part, "usage": half} if usage else part)


HALVES = {"vercel-fullstream": HalfOfFullStream, DIALECT: HalfOfParts}


def found(
    workbench: Workbench,
    dialect: str,
    adapter: Any,
    generation: str = "",
    claims: Claims = CLAIMS_NOTHING,
) -> list[str]:
    vocabulary = GATEWAY.vocabulary if dialect == DIALECT else "vscode"
    traits = AS_PARTS if dialect == DIALECT else Traits()
    adapted = described("counts", traits, claims, vocabulary, dialect)
    session = workbench.drive(adapted, driver := PythonDriver(adapter))
    scenario = workbench.catalogue.get("any/cut-short-by-length")
    assert scenario
    case = Case(scenario, dialect, (generation,) if generation else ())
    try:
        return [message_of(finding) for finding in run(session, case).findings]
    finally:
        driver.close()


@pytest.mark.parametrize("generation", ["", "v4", "v5", "v7"])
def test_usage_of_a_full_stream_fits_its_generation(workbench: Workbench, generation: str) -> None:
    assert found(workbench, "vercel-fullstream", fullstream(), generation) == []


def test_the_usage_of_a_providers_part_is_read_in_detail(workbench: Workbench) -> None:
    assert found(workbench, DIALECT, GATEWAY.make()) == []


@pytest.mark.parametrize("dialect", HALVES)
def test_usage_the_upstream_did_not_report_is_a_finding(workbench: Workbench, dialect: str) -> None:
    (message,) = found(workbench, dialect, HALVES[dialect]())
    assert message == "the run reports 602 input tokens; the upstream sent 1204"


class SaysNothing(HalfOfFullStream):
    """Reports neither the usage nor the reason to finish."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {"type": "done", "id": done["id"], "outcome": done["outcome"]}


@pytest.mark.parametrize(
    ("claims", "lacks"),
    [
        (Claims(), []),
        (Claims(usage=True), ["the run reports no input tokens"]),
        (Claims(finish=True), ["the run reports no reason to finish"]),
    ],
)
def test_what_a_run_does_not_report_is_a_finding_only_if_it_is_claimed(
    workbench: Workbench, claims: Claims, lacks: list[str]
) -> None:
    messages = found(workbench, "vercel-fullstream", SaysNothing(), claims=claims)
    told = [each.partition(";")[0] for each in messages]
    assert [each for each in told if each.startswith("the run reports")] == lacks
