"""``streamproof schema``: editors get the schema of scenarios, and lose no settings of theirs."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.foundation.shipped import folder
from tests.clients.npm import install, needs_node
from tests.commands import call
from tests.commands.language_server import LanguageServer, language_server

PLACE = folder("schemas") / "scenario.json"
SETTINGS = Path(".vscode/settings.json")
NAMES = sorted(path.stem for path in (PLACE.parent / "scenarios").glob("*.json"))
FILES = "my-scenarios/**/*.yaml"
OF_CHAT = "my-scenarios/chat/**/*.yaml"
OLD = "file:///old/lib/python3.11/site-packages/mockserver/schemas"


def all_but(*folders: str) -> list[str]:
    """The patterns of scenarios whose folder is not named after a dialect."""
    others = [f"!{each}{name}/**/*.yaml" for each in folders for name in NAMES]
    return [*(f"{each}**/*.yaml" for each in folders), *others]


REST = all_but("my-scenarios/")
OF_DIALECTS = {
    (PLACE.parent / "scenarios" / f"{name}.json").as_uri(): f"my-scenarios/{name}/**/*.yaml"
    for name in NAMES
}
OURS = {PLACE.as_uri(): REST, **OF_DIALECTS}

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
            json.dumps(
                {
                    "yaml.schemas": {
                        f"{OLD}/scenario.json": ["old/*.yaml", FILES],
                        f"{OLD}/scenarios/chat.json": "old/chat/*.yaml",
                    }
                }
            ),
            {
                "yaml.schemas": {
                    **OURS,
                    PLACE.as_uri(): ["old/*.yaml", *REST],
                    (PLACE.parent / "scenarios" / "chat.json").as_uri(): [
                        "old/chat/*.yaml",
                        OF_CHAT,
                    ],
                }
            },
        ),
        (
            "a file has one schema",
            json.dumps({"yaml.schemas": {"./a.json": OF_CHAT, "./b.json": ["b.yaml", FILES]}}),
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
        written = json.loads((tmp_path / SETTINGS).read_text("utf-8"))["yaml.schemas"]
        assert written.pop("./.vscode/scenario.json") == REST
        assert list(written.values()) == list(OF_DIALECTS.values())
        assert all((tmp_path / address).is_file() for address in written)
    assert call("schema", "--vscode", cwd=tmp_path).code == 0
    assert json.loads((tmp_path / SETTINGS).read_text("utf-8")) == {"yaml.schemas": OURS}


def test_folders_are_named_from_the_project_on_or_from_the_root(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    written = json.loads(settings_after("{}", project, ".", "a/b", "../other"))["yaml.schemas"]
    folders = ("", "a/b/", f"{tmp_path}/other/")
    assert sorted(written[PLACE.as_uri()]) == sorted(all_but(*folders))
    of_chat = (PLACE.parent / "scenarios" / "chat.json").as_uri()
    assert written[of_chat] == [f"{each}chat/**/*.yaml" for each in folders]


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
def test_unmergeable_settings_stay_and_the_entry_is_printed(before: str, tmp_path: Path) -> None:
    (tmp_path / SETTINGS.parent).mkdir()
    (tmp_path / SETTINGS).write_text(before, "utf-8")
    called = call("schema", "--vscode", cwd=tmp_path)
    assert called.code == 4
    assert f'paste into it: "yaml.schemas": {json.dumps(OURS)}' in called.err
    assert (tmp_path / SETTINGS).read_text("utf-8") == before


@pytest.mark.parametrize(
    ("dialect", "name"), [("chat", "chat"), ("vercel", "vercel"), ("vercel-ui", "vercel-ui")]
)
def test_the_schema_of_a_dialect_has_only_its_events(dialect: str, name: str) -> None:
    written = json.loads(call("schema", "--dialect", dialect).out)
    assert written["$id"] == f"urn:streamproof:scenario:{name}"
    events = written["$defs"]["event-names"]["enum"]
    assert ("delta" in events) == (name == "chat")
    assert "response.created" not in events


def test_a_dialect_that_is_not_known_is_answered_with_the_nearest() -> None:
    called = call("schema", "--dialect", "opneresponses")
    assert called.code == 4
    assert "did you mean 'openresponses'?" in called.err


def test_folders_are_named_only_for_the_settings_of_an_editor() -> None:
    called = call("schema", "my-scenarios")
    assert called.code == 4
    assert "streamproof schema --vscode my-scenarios" in called.err


def complete(
    server: LanguageServer, project: Path, step: str, folder_: str = "any"
) -> dict[str, str]:
    """What is completed where a step of ``sends`` has a bar, in a document of its own."""
    document = project / "my-scenarios" / folder_ / f"{server.asked}.yaml"
    return server.complete(document, f"{HEAD}      - {step}{TAIL}")


@pytest.mark.installs
def test_vs_codes_language_server_completes_and_explains_events(tmp_path: Path) -> None:
    needs_node()
    install(PROJECT)
    settings = json.loads(settings_after("{}", tmp_path, "--out", ".vscode/scenario.json"))
    assert len(settings["yaml.schemas"]) == 1 + len(NAMES)
    with language_server([SERVER, "--stdio"], tmp_path, settings) as server:
        events = complete(server, tmp_path, "|")
        assert (
            "The next piece of answer text (openresponses)" in events["response.output_text.delta"]
        )
        assert {"delta", "finish", "tool-call", "pause"} <= events.keys()

        steps = {"absent", "pause", "checkpoint", "comment", "raw", "close", "unknown", "event"}
        in_chat = complete(server, tmp_path, "|", "chat")
        assert in_chat.keys() == {"chunk", "delta", "finish", "usage", "error", *steps}
        assert in_chat["usage"] == "A chunk without choices that has these token counts"
        in_ui = complete(server, tmp_path, "|", "vercel-ui")
        assert {"text-delta", "tool-output-available"} <= in_ui.keys()
        assert "tool-call" not in in_ui
        assert "tool-call" in complete(server, tmp_path, "|", "vercel")

        fields = complete(server, tmp_path, "response.output_item.added:\n          |")
        assert fields.keys() == {"sequence_number", "output_index", "item"}
        assert fields["output_index"] == "The place of the item in the response, from 0"

        item = "response.output_item.added:\n          item:\n            "
        assert {"summary", "code"} <= complete(server, tmp_path, f"{item}|").keys()
        of_call = complete(server, tmp_path, f"{item}type: function_call\n            |")
        assert {"id", "call_id", "name", "arguments", "status"} <= of_call.keys()
        assert not {"summary", "code", "type"} & of_call.keys()
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
def test_vs_codes_server_forbids_nothing_that_shipped_scenarios_send(tmp_path: Path) -> None:
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
