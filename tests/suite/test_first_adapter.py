"""The causes that the suite finds in the first adapter of the docs, each with its cases."""

import re

from tests.suite import PYTEST, run

LEGAL = {
    # It reads nothing but texts and calls.
    "thinking-routed/reasoning-elsewhere (hidden)": 20,
    "citation-routed/citations-elsewhere (hidden)": 7,
    "refusal-routed/refusal-elsewhere (hidden)": 5,
    # It looks at no status, and at no event that says how the response ended.
    "end-honest/failure-hidden (answered)": 10,
    "end-honest/failure-hidden (sent response.failed)": 9,
    "end-honest/failure-hidden (sent error)": 8,
    # It parses whatever arguments a finished item has.
    "end-honest/crashed (JSONDecodeError)": 6,
    # It reads lines in place of events.
    "text-exact/never-came": 6,
    "text-exact/stops-early": 1,
    # It emits a call with its item, and does not declare that.
    "part-order/behind-text": 1,
    # It passes no options on.
    "options-passed/option-changed (store, True)": 4,
    "options-passed/option-changed (include, True)": 2,
    "limits-passed/limit-changed (True)": 1,
}


def test_the_suite_names_each_cause_once_in_few_lines() -> None:
    shown = run(*PYTEST, "-q", "--adapter", "docs/first-adapter/adapter.yaml").text
    legal, deviating, breaking = re.split(r"^on .*: \d+ causes$", shown, flags=re.M)[1:]
    assert _causes(legal) == LEGAL
    assert 6 <= len(_causes(deviating)) <= 14
    assert 4 <= len(_causes(breaking)) <= 10
    assert len(shown.splitlines()) < 450
    for section in re.split(r"^\d+\. ", legal + deviating, flags=re.M)[1:]:
        assert len(section.partition("\n\n")[0].splitlines()) <= 14


def _causes(section: str) -> dict[str, int]:
    found = re.findall(r"^\d+\. (.+?): (\d+) cases?, ", section, re.M)
    return {title: int(count) for title, count in found}
