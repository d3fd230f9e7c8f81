"""How a result becomes the outcome of a test, and the message of a failing one."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.contract.transcript import Emitted, Transcript
from conformance.findings.finding import Finding
from conformance.report.results import Result
from conformance.suite.adapter_yaml import read_description
from conformance.suite.conclusion import Conclusion, conclude
from conformance.suite.known_failures import KnownFailure
from conformance.suite.workbench import Item
from mockserver.foundation.faults import Place
from tests.findings.made import found
from tests.suite import spoilt

CASE = "any/a@openresponses"


def finding(message: str) -> Finding:
    return found("call-once", "must", message, "one part", "lm-stream-semantics § 3.2")


@pytest.fixture
def item(tmp_path: Path) -> Item:
    return Item(CASE, read_description(spoilt(tmp_path / "a b", "mine", "emit(part)")), None)


def concluded(
    item: Item, *messages: str | Finding, notes: tuple[str, ...] = (), parts: Sequence[Emitted] = ()
) -> Conclusion:
    transcript = Transcript(
        CASE, "any/a", "openresponses", "vscode", "mine", "hung", parts=tuple(parts), notes=notes
    )
    findings = tuple(each if isinstance(each, Finding) else finding(each) for each in messages)
    result = Result(CASE, "mine", "failed", findings, transcript)
    return conclude(item, result, (), ("must",), ["my scenarios"])


def test_every_finding_is_at_the_top(item: Item) -> None:
    message = concluded(item, "one", "two").message
    assert message.startswith("✗ call-once: one\n✗ call-once: two\nwhy: ")


def test_findings_that_do_not_fail_the_test_are_at_the_top_as_well(item: Item) -> None:
    message = concluded(item, replace(finding("one"), level="should"), finding("two")).message
    assert message.startswith("✗ call-once: two\n✗ call-once (should): one\nwhy: ")


def test_the_place_of_a_finding_is_where_the_timeline_has_it(item: Item) -> None:
    part = Emitted(0, 0.0, {"type": "text", "value": "Hm."})
    message = concluded(item, replace(finding("one"), event=7, part=0), parts=[part]).message
    assert message.startswith("✗ call-once: one (part 0)\nwhy: ")


def test_many_findings_are_counted_and_not_all_shown(item: Item) -> None:
    message = concluded(item, *map(str, range(1000))).message
    assert "and 990 more findings" in message
    assert message.count("✗") < 50


def test_a_finding_that_quotes_a_long_answer_is_cut(item: Item) -> None:
    message = concluded(item, "x" * 100_000).message
    assert len(message) < 5000
    assert max(map(len, message.splitlines())) < 500


def test_notes_of_the_kit_are_shown(item: Item) -> None:
    assert (
        "\nthe adapter blocked its event loop\n"
        in concluded(item, "one", notes=("the adapter blocked its event loop",)).message
    )


def test_the_command_that_shows_the_case_is_quoted_for_a_shell(item: Item) -> None:
    last = concluded(item, "one").message.splitlines()[-1]
    assert shlex.split(last.removeprefix("reproduce: ")) == [
        "streamproof", "show", CASE,
        "--adapter", str(item.adapter.path),
        "--scenarios", "my scenarios",
    ]  # fmt: skip


def test_a_result_without_a_finding_passes(item: Item) -> None:
    assert concluded(item) == Conclusion("passed")


def test_a_listed_failure_that_passes_fails_at_the_place_of_its_entry(item: Item) -> None:
    place = Place("list.yaml", 4, 3)
    listed = [KnownFailure(CASE, "call-once", "made-up", place)]
    ended = conclude(item, Result(CASE, "mine", "passed"), listed, ("must",))
    assert (ended.status, ended.place) == ("failed", place)
    assert ended.why.startswith("list.yaml:4:3: listed as a known failure of call-once (made-up)")
