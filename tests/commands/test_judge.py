"""``streamproof judge`` on recorded runs, which are judged by the current scenarios."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import streamproof
from tests.suite import PYTEST, TRACEBACK, Outputs, run_all, scenario, spoilt
from tests.suite.recordings import CASE, RIGHT, changed, footer, header, result, written

THREE = "any/refusal or any/reasoning or text-and-call-interleave"
# The first word of each text is lost in every case but one.
LOSING = """
if part["type"] == "text" and not part["value"].startswith("Hello"):
    part = {**part, "value": part["value"].partition(" ")[2]}
emit(part)
"""
GREETING = """
title: A greeting
source: [the tests of the commands]
turns:
  - says: [{text: Hello there}]
"""
OTHER_GREETING = GREETING.replace("Hello there", "Good morning")
MINE = """
name: mine
drive: {python: "nowhere:adapter"}
dialects: [openresponses]
vocabulary: vscode
traits: {refusal: hidden}
"""
LOUD = changed(RIGHT, ("case",), "any/refusals@openresponses") | {"scenario": "any/refusals"}


def saved(path: Path, document: Any) -> Path:
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    losing = spoilt(folder, "losing", LOSING)
    out, own = folder / "out.jsonl", folder / "own.jsonl"
    scenario(folder / "before", "own/greeting", GREETING)
    mine: list[str | Path] = ["--scenarios", folder / "before", "-k", "own/", "--adapter"]
    recorded = run_all(
        {
            "out": [*PYTEST, "-k", THREE, "--adapter", losing, "--results", out],
            "own": [*PYTEST, *mine, losing, "--results", own],
        }
    )
    assert [each.code for each in recorded.values()] == [1, 0], recorded
    scenario(folder / "after", "own/greeting", OTHER_GREETING)
    scenario(folder / "broken", "own/greeting", "title: Mine\nturns:\n  - sayz: []\n")
    (folder / "mine.yaml").write_text(MINE, "utf-8")
    right, whole = saved(folder / "right.json", RIGHT), out.read_bytes()
    quiet = saved(folder / "quiet.json", changed(RIGHT, ("parts",), []))
    files = {
        "cut": whole[: whole.rindex(b'{"kind":"footer"') - 1],
        "cut green": written(header(), result()),
        "empty": b"",
        "words": b"hello\n",
        "deep": b'{"a":' * 500_000,
        "tampered": changed(RIGHT, ("requests", 0, "turn"), "x"),
        "unknown": LOUD,
        "no id": changed(RIGHT, ("case",), "../../etc/passwd.yaml"),
        "another": changed(RIGHT, ("dialect",), "chat"),
        "no vocabulary": changed(RIGHT, ("vocabulary",), "vs-code"),
        "evil": changed(RIGHT, ("notes",), ["\x1b[2J\ud800\nnoted"]),
        "verdict": {"transcript": json.loads(quiet.read_bytes()), "traits": {"refusal": "hidden"}},
        "unplayed": written(
            header(),
            result(None, "broken", case="own/x", why="a mistake"),
            *(result(None, "not-applicable", case=f"own/{n}", why="no claim") for n in "abc"),
            footer(4),
        ),
    }
    judge = ("judge",)
    commands: dict[str, list[str | Path]] = {
        "results": [*judge, out],
        "several": [*judge, right, out],
        "json": [*judge, out, right, "--json"],
        "right": [*judge, right],
        "quiet": [*judge, quiet],
        "trait": [*judge, quiet, "--trait", "refusal=hidden"],
        "adapter": [*judge, quiet, "--adapter", "mine.yaml"],
        "trait over adapter": [*judge, quiet, "--adapter", "mine.yaml", "--trait", "refusal=text"],
        "before": [*judge, own, "--scenarios", "before"],
        "after": [*judge, own, "--scenarios", "after"],
        "broken": [*judge, own, "--scenarios", "broken"],
        "no scenarios": [*judge, own],
        "no trait": [*judge, right, "--trait", "refusal"],
        "unknown trait": [*judge, right, "--trait", "refusals=text"],
        "wrong trait": [*judge, right, "--trait", "refusal=loud"],
        "no adapter": [*judge, right, "--adapter", "nowhere.yaml"],
        "nothing": list(judge),
        "both": [*judge, right, "--stream", right],
        "traits of a stream": [*judge, "--stream", right, "--trait", "refusal=text"],
        "nowhere": [*judge, "nowhere.json"],
        "a folder": [*judge, "."],
        **{name: [*judge, saved(folder / f"{name}.x", data)] for name, data in files.items()},
    }
    return streamproof(commands, folder)


def test_every_run_of_a_results_file_is_judged_by_its_adapters_traits(ran: Outputs) -> None:
    lines = ran["results"].text.splitlines()
    assert ran["results"].code == 1
    assert "has it; traits: call_id_prefix: gw-" in " ".join(ran["results"].text.split())
    assert lines[-1] == "3 runs: 0 passed, 3 failed"
    assert "    ✗ text-exact (must): " in ran["results"].text
    assert "losing emitted" in ran["results"].text


def test_runs_without_findings_are_only_counted(ran: Outputs) -> None:
    assert ran["several"].text.splitlines()[-1] == "4 runs: 1 passed, 3 failed"
    assert "right.json" not in ran["several"].text


def test_findings_are_printed_as_json(ran: Outputs, folder: Path) -> None:
    printed = json.loads(ran["json"].text)
    assert ran["json"].code == 1
    assert [run["status"] for run in printed["runs"]] == ["failed"] * 3 + ["passed"]
    first, *_, last = printed["runs"]
    assert (first["line"], first["adapter"]) == (2, "losing")
    assert first["traits"]["call_id_prefix"] == "gw-"
    assert {finding["rule"] for finding in first["findings"]} == {"text-exact"}
    assert (last["file"], last["line"], last["case"]) == (str(folder / "right.json"), None, CASE)
    assert (printed["unjudged"], printed["incomplete"]) == ([], [])


def test_a_transcript_alone_is_shown_and_judged_by_the_default_traits(ran: Outputs) -> None:
    assert ran["right"].code == 0, ran["right"].text
    assert "refusal.delta [0] \"I'm sorry" in ran["right"].text
    assert ran["right"].text.rstrip().endswith("passed: 0 findings, 0 of level must")
    printed = " ".join(ran["quiet"].text.split())
    assert ran["quiet"].code == 1
    assert "default traits, since none are declared: --adapter and --trait do that" in printed
    assert "✗ refusal-routed (must): the refusal went nowhere" in printed


@pytest.mark.parametrize(
    ("name", "code"), [("trait", 0), ("adapter", 0), ("verdict", 0), ("trait over adapter", 1)]
)
def test_traits_are_read_from_an_option_an_adapter_or_the_file(
    ran: Outputs, name: str, code: int
) -> None:
    assert ran[name].code == code, ran[name].text


def test_a_run_is_judged_by_the_current_scenario(ran: Outputs) -> None:
    assert ran["before"].code == 0, ran["before"].text
    assert ran["after"].code == 1
    assert "Good morning" in ran["after"].text


def test_a_case_that_was_not_played_is_not_judged_and_reported_so(ran: Outputs) -> None:
    printed = " ".join(ran["unplayed"].text.split())
    assert "not judged: own/x: broken: a mistake" in printed
    assert "not judged: own/a and 2 more: not-applicable: no claim" in printed
    assert "0 runs: 0 passed, 0 failed" in ran["unplayed"].text


@pytest.mark.parametrize(("name", "code"), [("cut", 1), ("cut green", 4)])
def test_an_incomplete_file_is_judged_and_never_passes(ran: Outputs, name: str, code: int) -> None:
    assert ran[name].code == code
    printed = f"{name}.x is incomplete: its run did not come to its end"
    assert ran[name].text.rstrip().endswith(printed)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("empty", 4, "empty.x: the file is empty\n    results are written by: pytest conform"),
        ("words", 4, "words.x:1:1: not JSON: Expecting value"),
        ("deep", 4, "deep.x: $: not JSON of ours: nested deeper than"),
        ("tampered", 4, 'tampered.x: $.requests[0].turn: "x" is a string; a whole number or noth'),
        ("unknown", 4, "unknown.x: $.case: no scenario is called 'any/refusals'\n    did you mean "
                       "'any/refusal' or "),
        ("no id", 4, "no id.x: $.case: '../../etc/passwd.yaml' is not a case id"),
        ("another", 4, "another.x: $.dialect: 'chat' is not the dialect of the case"),
        ("no vocabulary", 4, "$.vocabulary: no vocabulary is called 'vs-code'\n    did you mean "),
        ("no scenarios", 4, "own.jsonl:2: $.transcript.case: no scenario is called 'own/greeting'"),
        ("broken", 4, "the scenario is at fault:\nbroken/own/greeting.yaml:3:5: unknown key"),
        ("no trait", 4, "'refusal' is no trait\n    write --trait NAME=VALUE"),
        ("unknown trait", 4, "unknown trait 'refusals'\n    did you mean 'refusal'?"),
        ("wrong trait", 4, "not a trait: refusal: 'loud' is not one of"),
        ("no adapter", 3, "nowhere.yaml: cannot be read: No such file or directory"),
        ("nothing", 4, "name transcripts to judge, or one stream"),
        ("both", 4, "name transcripts to judge, or one stream"),
        ("traits of a stream", 4, "a stream is judged by its protocol alone"),
        ("nowhere", 4, "'nowhere.json'"),
        ("a folder", 4, "'.'"),
    ],
)  # fmt: skip
def test_a_mistake_is_explained(ran: Outputs, name: str, code: int, message: str) -> None:
    assert ran[name].code == code, ran[name].text
    assert message in ran[name].text


def test_control_characters_of_an_adapter_are_not_printed(ran: Outputs) -> None:
    assert ran["evil"].code == 0
    assert "\\x1b[2J\\ud800\nnoted" in ran["evil"].text


def test_no_mistake_shows_a_traceback(ran: Outputs) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []
    assert [name for name, each in ran.items() if "\x1b" in each.text] == []
