"""``adapter.yaml``: its fields and defaults, and the messages about mistakes in it."""

from pathlib import Path

import pytest

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.suite.adapter_yaml import read_description
from conformance.suite.workbench import items, reference_adapters
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError
from tests.suite import own_scenarios, scenario

MINIMAL = """name: mine
drive: {python: "module:factory"}
dialects: [openresponses]
vocabulary: vscode
"""
FULL = """
traits: {call_id_prefix: gw-, reasoning: hidden, errors: text}
claims: {live: true, concurrency: 8, tools: [custom]}
known_failures: lists/known.yaml
about: A sentence
upstream: [no-done]
"""
RUNNING = MINIMAL.replace('{python: "module:factory"}', '{running: "http://127.0.0.1:4180/v1"}')
SERVER = MINIMAL.replace('{python: "module:factory"}', "{serve: [x]}")


def written(folder: Path, text: str) -> Path:
    path = folder / "adapter.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_server_is_started_for_each_run_unless_the_file_says_once(tmp_path: Path) -> None:
    assert not read_description(written(tmp_path, SERVER)).starts_once
    assert not read_description(written(tmp_path, SERVER + "starts: each-run\n")).starts_once
    assert read_description(written(tmp_path, SERVER + "starts: once\n")).starts_once


def test_a_server_that_runs_already_has_the_usual_address_of_the_mock(tmp_path: Path) -> None:
    described = read_description(written(tmp_path, RUNNING))
    assert (described.mock, described.key_variable, described.names_runs) == (
        *("127.0.0.1:4100", ""),
        True,
    )
    set_ = 'mock: "0.0.0.0:4200"\nkey_variable: KEY\nmodel: gpt-4o\n'
    described = read_description(written(tmp_path, RUNNING + set_))
    assert (described.mock, described.key_variable, described.names_runs) == (
        *("0.0.0.0:4200", "KEY"),
        False,
    )


def test_a_missing_field_has_its_default(tmp_path: Path) -> None:
    described = read_description(written(tmp_path, MINIMAL))
    assert (described.name, described.dialects, described.vocabulary) == (
        "mine",
        ("openresponses",),
        "vscode",
    )
    assert described.drive == {"python": "module:factory"}
    assert (described.traits, described.claims) == (Traits(), Claims())
    assert described.known_failures is None


def test_given_fields_are_read(tmp_path: Path) -> None:
    described = read_description(written(tmp_path, MINIMAL + FULL))
    assert described.traits == Traits(call_id_prefix="gw-", reasoning="hidden", errors="text")
    assert described.claims == Claims(live=True, concurrency=8, tools=("custom",))
    assert described.known_failures == tmp_path / "lists" / "known.yaml"
    assert described.about == "A sentence"
    assert described.upstream == ("no-done",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "adapter.yaml:1:1: the file is empty"),
        ("name: mine\n", "adapter.yaml:1:1: the key 'drive' is missing here"),
        (
            "name: mine\ndrive: {exec: [x]}\ndialects: [chat]\nvocabulary: vscode\n"
            "known_failures: /etc/known.yaml\n",
            '"/etc/known.yaml" is not the list of its known failures, as a path from this file',
        ),
        (MINIMAL.replace("openresponses", "openresponse"), ":3:12: no dialect is called"),
        (MINIMAL.replace("openresponses", "openresponse"), "did you mean 'openresponses'?"),
        (MINIMAL.replace("vscode", "vs-code"), ":4:13: \"vs-code\" is not one of vscode"),
        (MINIMAL + "traits: {resoning: text}\n", ":5:10: unknown key 'resoning'"),
        (MINIMAL + "traits: {resoning: text}\n", "did you mean 'reasoning'?"),
        (MINIMAL + "traits: {reasoning: loud}\n", "\"loud\" is not one of thinking, text"),
        (MINIMAL + "traits: {errors: part}\n", ":5:18: the vocabulary 'vscode' does not allow"),
        (
            MINIMAL.replace("vscode", "stream") + "traits: {reasoning: prefixed}\n",
            ":5:21: the vocabulary 'stream' does not allow reasoning: prefixed",
        ),
        (MINIMAL + "upstream: [no-doen]\n", ":5:12: no variation is called 'no-doen'"),
        (MINIMAL + "name: again\n", ":5:1: the key 'name' is here twice"),
        (MINIMAL.replace('"module:factory"', "module"), "adapter.yaml:2:17: "),
        (
            SERVER.replace("vscode", "stream"),
            ":4:13: what a server serves as openresponses is read in the vocabulary 'vscode'",
        ),
        (MINIMAL + "serves: openresponses\n", ":5:9: only a server serves anything"),
        (MINIMAL + "starts: once\n", ":5:9: only a server may be started once"),
        (SERVER + "mock: x:1\n", ":5:7: only a server that runs already has an upstream at"),
        (SERVER + "model: x\n", ":5:8: only a server that runs already has models"),
        (MINIMAL + "key_variable: X\n", ":5:15: only a server that runs already has clients with"),
        (RUNNING + "starts: once\n", ":5:9: only a server may be started once"),
        (RUNNING + "mock: 4100\n", ":5:7: "),
        (RUNNING + "mock: localhost:65536\n", ":5:7: there is no port 65536"),
        (RUNNING.replace("http:", "ftp:"), ":2:18: "),
        (
            RUNNING + "model: x\nclaims: {concurrency: 2}\n",
            ":6:23: if all requests have the same model, runs are played one at a time",
        ),
        (SERVER + "starts: twice\n", ":5:9: \"twice\" is not one of each-run, once"),
        (
            SERVER + "serves: vercel-gatewai\n",
            "the kit has no client for 'vercel-gatewai'\n    did you mean 'vercel-gateway'?",
        ),
        (
            SERVER + "serves: vercel-gateway\n",
            ":4:13: what a server serves as vercel-gateway is read in the vocabulary 'stream'",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(AdapterError) as raised:
        read_description(path)
    assert str(path) in str(raised.value)
    assert message in str(raised.value)


def test_the_adapters_of_the_kit_are_described() -> None:
    described = reference_adapters()
    assert "reference-openresponses-vscode" in [adapter.name for adapter in described]
    assert all(adapter.known_failures is None for adapter in described)


def test_every_case_is_an_item_also_broken_ones_and_those_of_other_dialects(tmp_path: Path) -> None:
    own = own_scenarios(tmp_path / "scenarios")
    scenario(own, "own/broken", "title: A typing mistake\nturns:\n  - sayz: []\n")
    mine = read_description(written(tmp_path, MINIMAL))
    found = {item.id: item for item in items(Catalogue([own]), [mine], ["crlf"])}
    assert set(found) == {
        "own/broken",
        "own/doubled@openresponses",
        "own/doubled@openresponses+crlf",
        "own/greeting@openresponses",
        "own/greeting@openresponses+crlf",
    }
    assert found["own/broken"].broken
    assert found["own/broken"].case is None
    assert "unknown key 'sayz'" in found["own/broken"].why


def test_cases_are_played_as_the_adapters_own_upstream_streams(tmp_path: Path) -> None:
    own = own_scenarios(tmp_path / "scenarios")
    refused = "title: A refusal\nturns:\n  - status: 401\n    body: {}\n"
    scenario(own, "own/refused", refused + "    expect: {parts: [], outcome: failed}\n")
    mine = read_description(written(tmp_path, MINIMAL + "upstream: [no-done, empty-choices]\n"))
    assert {item.id for item in items(Catalogue([own]), [mine], ["crlf"])} == {
        "own/doubled@openresponses+no-done",
        "own/doubled@openresponses+no-done+crlf",
        "own/greeting@openresponses+no-done",
        "own/greeting@openresponses+no-done+crlf",
        "own/refused@openresponses",
    }


def test_a_folder_is_described_by_its_adapter_yaml(tmp_path: Path) -> None:
    described = 'name: mine\ndrive: {python: "a:b"}\ndialects: [chat]\nvocabulary: vscode\n'
    tmp_path.joinpath("adapter.yaml").write_text(described, "utf-8")
    assert read_description(tmp_path) == read_description(tmp_path / "adapter.yaml")
