"""``streamproof schema``: editors get the schema of scenarios, and lose no settings of theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.shipped import folder
from tests.clients.npm import install, needs_node
from tests.commands import call
from tests.commands.language_server import LanguageServer, language_server

PLACE = folder("schemas") / "scenario.json"
SETTINGS = Path(".vscode/settings.json")
FILES = "my-scenarios/**/*.yaml"
OURS = {PLACE.as_uri(): FILES}
OLD = "file:///old/lib/python3.11/site-packages/mockserver/schemas/scenario.json"

PROJECT = Path(__file__).parent / "yaml-language-server"
SERVER = PROJECT / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"

HEAD = "title: A call is cut off\nturns:\n  - sends:\n"
TAIL = "\n      - response.completed\n"


def settings_after(before: str, project: Path, *words: str) -> str:
    """The settings of a project after the command was called in it."""
    (project / SETTINGS.parent).mkdir()
    (project / SETTINGS).write_text(before, "utf-8")
    called = call("schema", "--vscode", *words, cwd=project)
    assert called.code == 0, called.err
    return (project / SETTINGS).read_text("utf-8")


def test_the_schema_is_printed_or_written_as_it_is_installed(tmp_path: Path) -> None:
    assert call("schema").out == PLACE.read_text("utf-8")
    assert call("schema", "--out", "scenario.json", cwd=tmp_path).code == 0
    assert (tmp_path / "scenario.json").read_bytes() == PLACE.read_bytes()


def test_the_schema_has_an_address_of_its_own() -> None:
    assert json.loads(call("schema").out)["$id"] == "urn:streamproof:scenario"


def test_settings_are_begun_where_there_are_none(tmp_path: Path) -> None:
    assert call("schema", "--vscode", cwd=tmp_path).code == 0
    assert json.loads((tmp_path / SETTINGS).read_text("utf-8")) == {"yaml.schemas": OURS}


@pytest.mark.parametrize(
    ("because", "before", "after"),
    [
        ("an empty file has no settings", "", {"yaml.schemas": OURS}),
        ("others stay", '{"a": [1]}', {"a": [1], "yaml.schemas": OURS}),
        (
            "schemas of others stay",
            '{"yaml.schemas": {"./mine.json": "a.yaml"}}',
            {"yaml.schemas": {"./mine.json": "a.yaml", **OURS}},
        ),
        (
            "another installation is replaced, with its files",
            json.dumps({"yaml.schemas": {OLD: ["old/*.yaml", FILES]}}),
            {"yaml.schemas": {PLACE.as_uri(): ["old/*.yaml", FILES]}},
        ),
        (
            "a file has one schema",
            json.dumps({"yaml.schemas": {"./a.json": FILES, "./b.json": ["b.yaml", FILES]}}),
            {"yaml.schemas": {"./b.json": ["b.yaml"], **OURS}},
        ),
    ],
)
def test_the_schema_is_added_to_settings(
    because: str, before: str, after: dict[str, Any], tmp_path: Path
) -> None:
    assert json.loads(settings_after(before, tmp_path)) == after, because


def test_settings_keep_their_order_their_indentation_and_their_letters(tmp_path: Path) -> None:
    written = settings_after('{\n    "ü": 1,\n    "a": 2\n}\n', tmp_path)
    assert written.startswith('{\n    "ü": 1,\n    "a": 2,\n    "yaml.schemas": {\n        "file:')


def test_a_second_call_changes_nothing(tmp_path: Path) -> None:
    once = settings_after("{}", tmp_path)
    assert call("schema", "--vscode", cwd=tmp_path).code == 0
    assert (tmp_path / SETTINGS).read_text("utf-8") == once


def test_settings_that_are_shared_name_a_copy_in_the_project(tmp_path: Path) -> None:
    words = ("schema", "--vscode", "--out", ".vscode/scenario.json")
    for _ in range(2):
        assert call(*words, cwd=tmp_path).code == 0
        assert (tmp_path / ".vscode" / "scenario.json").read_bytes() == PLACE.read_bytes()
        written = json.loads((tmp_path / SETTINGS).read_text("utf-8"))
        assert written == {"yaml.schemas": {"./.vscode/scenario.json": FILES}}
    assert call("schema", "--vscode", cwd=tmp_path).code == 0
    assert json.loads((tmp_path / SETTINGS).read_text("utf-8")) == {"yaml.schemas": OURS}


def test_folders_are_named_from_the_project_on_or_from_the_root(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    written = json.loads(settings_after("{}", project, ".", "a/b", "../other"))
    patterns = ["**/*.yaml", "a/b/**/*.yaml", f"{tmp_path}/other/**/*.yaml"]
    assert written["yaml.schemas"] == {PLACE.as_uri(): patterns}


@pytest.mark.parametrize(
    "before",
    [
        '{\n  // tabs\n  "a": 1\n}\n',
        '{"a": 1,}',
        '{"a": 1, "a": 2}',
        "[]",
        '{"yaml.schemas": "x"}',
        "{",
    ],
)
def test_settings_that_cannot_be_merged_stay_and_the_entry_is_printed(
    before: str, tmp_path: Path
) -> None:
    (tmp_path / SETTINGS.parent).mkdir()
    (tmp_path / SETTINGS).write_text(before, "utf-8")
    called = call("schema", "--vscode", cwd=tmp_path)
    assert called.code == 4
    assert f'paste into it: "yaml.schemas": {json.dumps(OURS)}' in called.err
    assert (tmp_path / SETTINGS).read_text("utf-8") == before


def test_folders_are_named_only_for_the_settings_of_an_editor() -> None:
    called = call("schema", "my-scenarios")
    assert called.code == 4
    assert "streamproof schema --vscode my-scenarios" in called.err


def complete(server: LanguageServer, project: Path, step: str) -> dict[str, str]:
    """What is completed where a step of ``sends`` has a bar, in a document of its own."""
    document = project / "my-scenarios" / "openresponses" / f"{server.asked}.yaml"
    return server.complete(document, f"{HEAD}      - {step}{TAIL}")


@pytest.mark.installs
def test_vs_codes_language_server_completes_and_explains_events(tmp_path: Path) -> None:
    needs_node()
    install(PROJECT)
    settings = json.loads(settings_after("{}", tmp_path, "--out", ".vscode/scenario.json"))
    assert [*settings["yaml.schemas"]] == ["./.vscode/scenario.json"]
    with language_server([SERVER, "--stdio"], tmp_path, settings) as server:
        events = complete(server, tmp_path, "|")
        assert (
            "The next piece of answer text (openresponses)" in events["response.output_text.delta"]
        )
        assert {"delta", "finish", "tool-call", "pause"} <= events.keys()

        fields = complete(server, tmp_path, "response.output_item.added:\n          |")
        assert fields.keys() == {"sequence_number", "output_index", "item"}
        assert fields["output_index"] == "The place of the item in the response, from 0"

        types = complete(server, tmp_path, "response.output_item.added: {item: {type: |}}")
        assert {"message", "function_call", "shell_call"} <= types.keys()
        assert {"stop", "length"} <= complete(server, tmp_path, "finish: {reason: |}").keys()

        vary = server.complete(
            tmp_path / "my-scenarios" / "vary.yaml", "title: abc\nvary:\n  - |\n"
        )
        assert vary["crlf"] == "lines end with CR LF (format)"
        close = complete(server, tmp_path, "close: |")
        assert close["reset"] == "The connection is reset"

        about = server.explain(
            tmp_path / "my-scenarios" / "a.yaml",
            f"{HEAD}      - response.function_call_arguments.done: {{arguments|: 5}}{TAIL}",
        )
        assert "The arguments of the call, as JSON text" in about


@pytest.mark.installs
def test_vs_codes_language_server_forbids_nothing_that_a_shipped_scenario_sends(
    tmp_path: Path,
) -> None:
    needs_node()
    install(PROJECT)
    settings = json.loads(settings_after("{}", tmp_path))
    shipped = sorted((folder("scenarios") / "chat").glob("*.yaml"))
    documents = [tmp_path / "my-scenarios" / "chat" / file.name for file in shipped]
    mistaken = tmp_path / "my-scenarios" / "chat" / "mistaken.yaml"
    with language_server([SERVER, "--stdio"], tmp_path, settings) as server:
        for document, file in zip(documents, shipped, strict=True):
            # The comment that names a schema is for the place where the file stands.
            server.open(document, file.read_text("utf-8").replace("yaml-language-server:", ""))
        found = {document.name: server.problems_of(document) for document in documents}
        server.open(mistaken, "titel: The model refuses\n")
        assert "Property titel is not allowed." in server.problems_of(mistaken)
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert len(found) > 100
