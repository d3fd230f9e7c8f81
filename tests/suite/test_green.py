"""The built-in reference adapter passes, with every way to start the suite."""

import re

import pytest

from conformance.suite.claims import CLAIMS
from conformance.suite.workbench import claim_item, reference_adapters
from mockserver.cases.variations import VARIATIONS
from tests.suite import FEW, PYTEST, Outputs, Ran, run, run_all

ONLY = ("--only", "any/refusal")


@pytest.fixture(scope="module")
def ran() -> Outputs:
    return run_all(
        {
            "varied": [*FEW, *ONLY, "-v", "--vary", "all", "-k", "openresponses-vscode:"],
            "one scenario": [*PYTEST, "-v", "-k", "any/refusal"],
            "one dialect": [*FEW, "-v", "-k", "openresponses"],
            "chat": [*FEW, "--collect-only", "-q", "-k", "chat and not any/refusal"],
            "not chat": [*FEW, "--collect-only", "-q", "-k", "not chat"],
            "one variation twice": [*PYTEST, "-v", "-k", "any/refusal", *["--vary", "crlf"] * 2],
            "nothing": [*PYTEST, "-k", "no-such-scenario"],
        }
    )


def passed(ran: Ran) -> int:
    counted = re.search(r"(\d+) passed", ran.text)
    return int(counted[1]) if counted else 0


# The last command of `.ci/run` plays the whole catalogue.
def test_the_reference_adapters_pass_a_suite_that_is_not_filtered() -> None:
    # Nothing is asked of a proxy, which is not there.
    ran = run(*FEW, http_proxy="http://127.0.0.1:9", NO_PROXY="", no_proxy="")
    assert ran.code == 0, ran.text
    assert "reference-openresponses-vscode" in ran.text
    assert passed(ran) > 10
    assert not re.search(r"\d (failed|xfailed|error)", ran.text)
    # Most of them do not count.
    adapters = reference_adapters()
    unasked = [id_ for each in adapters for id_ in CLAIMS if claim_item(each, id_).why]
    assert re.findall(r"(\d+) skipped", ran.text) == [str(len(unasked))]


def test_a_case_is_played_under_every_variation_that_changes_it(ran: Outputs) -> None:
    assert ran["varied"].code == 0, ran["varied"].text
    played = set(re.findall(r"any/refusal@openresponses\+(\S+)\] PASSED", ran["varied"].text))
    # A refusal has no error, no call, no reasoning, no logprobs and no text; this one is ASCII, in
    # one write, and its events have names.
    applying = {name for name, v in VARIATIONS.items() if v.applies_to("openresponses")}
    assert played == applying - {
        "cut:character", "cut:escape", "event-message", "one-write", "damaged-utf8", "flat-error",
        "arguments-only-in-done", "arguments-only-in-item", "calls-only-in-completed",
        "reasoning-text", "reasoning-summary", "obfuscation", "logprobs", "lmstudio",
    }  # fmt: skip


def test_a_scenario_is_selected_by_its_id(ran: Outputs) -> None:
    assert ran["one scenario"].code == 0
    assert "openresponses-vscode:any/refusal@openresponses] PASSED" in ran["one scenario"].text
    assert passed(ran["one scenario"]) == len(reference_adapters())


def test_a_dialect_is_selected_by_its_name(ran: Outputs) -> None:
    assert ran["one dialect"].code == 0
    played = set(re.findall(r"@(\w+)\] PASSED", ran["one dialect"].text))
    assert played == {"openresponses"}
    assert passed(ran["one dialect"]) > 10
    assert " deselected" in ran["one dialect"].text


def test_a_dialects_name_selects_its_cases_and_nothing_named_alike(ran: Outputs) -> None:
    # The adapters reference-chat-… have claims as well, which are in no dialect.
    chosen, others = (re.findall(r"\[(.+)\]", ran[name].text) for name in ("chat", "not chat"))
    assert chosen
    assert all("@chat" in id_ and "any/refusal" not in id_ for id_ in chosen)
    assert any("reference-chat" in id_ for id_ in others)
    assert not any("@chat" in id_ for id_ in others)


def test_a_variation_given_twice_is_played_once(ran: Outputs) -> None:
    cases = re.findall(r"vscode:(\S+@openresponses\S*)\] PASSED", ran["one variation twice"].text)
    assert cases == ["any/refusal@openresponses", "any/refusal@openresponses+crlf"]


def test_a_filter_that_selects_nothing_exits_with_5(ran: Outputs) -> None:
    assert ran["nothing"].code == 5


def test_the_help_lists_the_options() -> None:
    ran = run(*PYTEST, "--help")
    assert ran.code == 0
    for option in ("--adapter", "--scenarios", "--vary", "--should", "--results", "--deadline"):
        assert f"  {option}" in ran.text
