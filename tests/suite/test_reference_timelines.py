"""The timelines of the reference adapters, which emit everything that is due, in every dialect."""

import pytest

from conformance.contract.adapter import Description
from conformance.drivers.kinds import driver_of
from conformance.report import timeline
from conformance.report.timeline import deltas_with_other_ids, part_in_words
from conformance.rules.turns import turns_of
from conformance.suite.session import Session
from conformance.suite.workbench import run, skip_reason
from tests.cases.variations.test_readings import ADAPTERS, CATALOGUE, few_scenarios, of
from tests.wireless import Wireless


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
def test_a_run_that_passes_has_each_part_once_and_lacks_nothing(adapter: Description) -> None:
    (dialect,) = adapter.dialects
    driver = driver_of(adapter)
    with Wireless(CATALOGUE) as upstream:
        session = Session(adapter, driver, upstream)
        for case in of(dialect):
            if case.scenario.id not in few_scenarios(dialect) or skip_reason(adapter, case):
                continue
            transcript = run(session, case).transcript
            assert transcript is not None
            rows = timeline.of_run(turns_of(transcript, adapter.traits, case))
            shown = [line for row in rows if not row.asked for line in row.right]
            words = [
                part_in_words(part, (), deltas_with_other_ids(turn.parts))
                for turn in transcript.turns
                for part in turn.parts
            ]
            assert [line for line in shown if line[0] not in "⏹✂"] == words, str(case)
            assert [row.missing for row in rows if row.missing] == [], str(case)
    driver.close()
