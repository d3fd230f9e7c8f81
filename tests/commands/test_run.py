"""``streamproof run`` is the suite; every command has a help page."""

import re
from pathlib import Path

import click
import pytest

from streamproof.__main__ import cli
from streamproof._commands.adapter import adapter
from streamproof._commands.lazy import Commands
from tests.commands import streamproof
from tests.suite import DOUBLING, STREAMPROOF, TRACEBACK, Outputs, run_all, spoilt

FAST = ("-p", "no:hypothesispytest", "-p", "no:anyio")
RUN = (*STREAMPROOF, "run", *FAST)
SUBCOMMANDS = ("adapter check", "adapter new")
COMMANDS = ("adapter", "judge", "lint", "list", "new", "report", "serve", "show", *SUBCOMMANDS)


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    """Commands run in the folder of another project, whose own configuration must not matter."""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", "utf-8")
    (folder / "conftest.py").write_text("raise RuntimeError('not ours')\n", "utf-8")
    doubling = spoilt(folder, "doubling", DOUBLING)
    return run_all(
        {
            "green": [*RUN, "-k", "any/re"],
            "red": [*RUN, "--adapter", doubling, "-k", "any/", "-x", "-v", "--tb=line"],
            "nothing": [*RUN, "-k", "no-such-scenario"],
            "unknown option": [*RUN, "--no-such-option"],
            "help run": [*STREAMPROOF, "run", "--help"],
            "unknown command, as a process": [*STREAMPROOF, "shwo"],
            "no command, as a process": [*STREAMPROOF],
            "version, as a process": [*STREAMPROOF, "--version"],
        },
        cwd=folder,
    ) | streamproof(
        {
            "unknown command": ["shwo"],
            "no command": [],
            "version": ["--version"],
            "help": ["--help"],
            "an adapter's file": ["run", "-q", "mine/adapter.yaml"],
            "a case": ["run", "-x", "-q", "any/refusal", "-k", "a/b"],
            **{f"help {name}": [*name.split(), "--help"] for name in COMMANDS},
        },
        folder,
    )


def test_the_suite_runs_from_any_folder(ran: Outputs) -> None:
    assert ran["green"].code == 0, ran["green"].text
    assert re.search(r"[1-9]\d* passed", ran["green"].text)


def test_pytests_own_options_are_passed_on(ran: Outputs) -> None:
    red = ran["red"]
    assert red.code == 1
    assert "stopping after 1 failures" in red.text
    assert re.search(r"test_case\[any/\S+@openresponses\] FAILED", red.text)
    assert "✗ call-once (must): " in red.text


@pytest.mark.parametrize("name", ["unknown command", "version"])
def test_a_call_in_process_does_the_same_as_a_process(ran: Outputs, name: str) -> None:
    assert ran[f"{name}, as a process"] == ran[name]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("an adapter's file", "--adapter mine/adapter.yaml tests an adapter"),
        ("a case", "'streamproof show ID --adapter FILE' plays one"),
    ],
)
def test_a_word_that_is_no_file_of_tests_is_refused(ran: Outputs, name: str, hint: str) -> None:
    assert ran[name].code == 4
    assert hint in ran[name].text


def test_nothing_selected_exits_with_5(ran: Outputs) -> None:
    assert ran["nothing"].code == 5


@pytest.mark.parametrize(
    ("name", "message"),
    [("unknown option", "--no-such-option"), ("unknown command", "No such command 'shwo'")],
)
def test_a_mistake_exits_with_4(ran: Outputs, name: str, message: str) -> None:
    assert ran[name].code == 4, ran[name].text
    assert message in ran[name].text


HELP = {
    "help": ("adapter", "judge", "lint", "new", "report", "run", "serve", "show"),
    "help adapter": ("check", "new"),
    "help adapter check": ("PATH", "--deadline", "--width", "Exit codes"),
    "help adapter new": ("PATH", "--lang [bash|node|python|typescript]"),
    "help judge": ("[TRANSCRIPT]", "--stream", "--adapter", "--trait", "--scenarios", "--json"),
    "help report": ("RESULTS", "--junit", "incomplete"),
    "help new": ("FILE", "my-scenarios/any/my-bug.yaml", "Nothing is", "Exit codes"),
    "help lint": ("PATHS", "the shipped catalogue"),
    "help show": ("CASE", "--adapter", "--reference", "--results", "--scenarios"),
    "help serve": ("--host", "--port", "--scenarios", "--ready-file"),
    "help run": ("--adapter", "--vary", "--write-known-failures", "-k WORDS", "--pyargs"),
    "help list": ("WORDS", "--dialect", "--conduct", "--rule", "--seen"),
}


@pytest.mark.parametrize("name", HELP)
def test_each_command_has_a_help_page(ran: Outputs, name: str) -> None:
    assert ran[name].code == 0, ran[name].text
    for word in HELP[name]:
        assert word in ran[name].text


def test_without_a_command_three_things_to_do_are_printed_on_one_screen(ran: Outputs) -> None:
    lines = ran["no command"].text.splitlines()
    # As click does without a command: a usage error.
    assert ran["no command"].code == 4
    assert lines == ran["no command, as a process"].text.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) < 80
    named = [line.split()[1] for line in lines if line.startswith("  streamproof")]
    assert named == ["serve", "adapter", "run", "new", "run"]


@pytest.mark.parametrize("group", [cli, adapter], ids=lambda group: group.name)
def test_the_help_of_a_group_lists_its_commands(group: Commands) -> None:
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    assert {name: command and command.name for name, command in found.items()} == {
        name: name for name in found
    }


# Of these, show and repro serve if they play a case.
_SERVING_NOTHING = [
    f"streamproof._commands.{name}"
    for name in ("capture_import", "explain", "judge", "lint", "list", "report", "repro", "show")
]


def test_a_command_imports_no_library_that_it_can_do_without() -> None:
    heavy = ("aiohttp", "conformance", "hypothesis", "jsonschema", "pytest", "rich")
    idle = {
        "streamproof.__main__": heavy,
        "streamproof._commands.serve": ("hypothesis", "pytest", "rich"),
        ", ".join(_SERVING_NOTHING): ("aiohttp", "hypothesis", "pytest"),
    }
    script = "import sys, {}; print(sorted(set({}) & set(sys.modules)))"
    imported = run_all(
        {name: ["-c", script.format(name, names)] for name, names in idle.items()}, fresh=True
    )
    assert {name: each.text for name, each in imported.items()} == dict.fromkeys(idle, "[]\n")


def test_the_version_is_printed(ran: Outputs) -> None:
    assert ran["version"].code == 0
    assert re.fullmatch(r"streamproof, version \d+\.\d+\.\d+\n", ran["version"].text)


def test_no_mistake_shows_a_traceback(ran: Outputs) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []


def test_no_file_is_left_in_the_folder(ran: Outputs, folder: Path) -> None:
    assert ran["green"].code == 0
    left = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert left == {"pytest.ini", "conftest.py", "doubling.yaml", "doubling_adapter.py"}
