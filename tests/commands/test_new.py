"""``streamproof new``, and what ``streamproof`` alone tells users to run."""

import re
import shlex
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from streamproof.__main__ import START
from streamproof._commands.scenario_new import where
from tests.commands import call
from tests.suite import STREAMPROOF, run_all

FILE = "my-scenarios/any/my-bug.yaml"
_SERVE, *STARTED = (
    shlex.split(line)[1:] for line in START.splitlines() if line.startswith("  streamproof ")
)
FAST = ("-p", "no:hypothesispytest", "-p", "no:anyio")


def test_what_streamproof_alone_says_to_run_works_in_an_empty_folder(tmp_path: Path) -> None:
    runs = {}
    for name, *words in STARTED:
        if name == "run":
            runs[" ".join(words)] = [*STREAMPROOF, name, *words, *FAST, "-k", "my-bug or refusal"]
        else:
            assert call(name, *words, cwd=tmp_path).code == 0
    assert len(runs) == 2
    for command, ran in run_all(runs, cwd=tmp_path).items():
        assert ran.code == 0, f"{command}: {ran.text}"


def test_the_base_url_that_streamproof_alone_prints_has_a_scenario() -> None:
    shown = re.findall(r"http://127\.0\.0\.1:4100/s/(\S+)/v1", START)
    assert [id_ for id_ in shown if Catalogue.shipped().get(id_)] == shown != []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_written_passes_the_commands_named_next(dialect: str, tmp_path: Path) -> None:
    file = tmp_path / "my own" / dialect / "my-bug.yaml"
    written = call("new", str(file.relative_to(tmp_path)), cwd=tmp_path)
    assert written.code == 0, written.err
    lines = [line.partition(": ")[2] for line in written.out.splitlines()[1:]]
    schema, lint, show, run = (shlex.split(line)[1:] for line in lines)
    assert call(*schema, cwd=tmp_path).code == 0
    assert call(*lint, cwd=tmp_path).out == "1 scenario, no problems\n"
    assert f"{dialect}/my-bug@{dialect}" in call(*show, cwd=tmp_path).out
    assert "passed: 0 findings" in call(*show, "--reference", cwd=tmp_path).out
    assert run == ["run", "--scenarios", "my own", "-k", f"{dialect}/my-bug"]


def test_a_scenario_in_the_folder_of_a_dialect_begins_with_its_events(tmp_path: Path) -> None:
    for folder_, key in {"chat": "sends", "vercel-ui": "sends", "any": "says"}.items():
        call("new", f"mine/{folder_}/my-bug.yaml", cwd=tmp_path)
        text = (tmp_path / "mine" / folder_ / "my-bug.yaml").read_text("utf-8")
        assert f"  - {key}:\n" in text


def test_the_folder_of_the_catalogue_is_not_added_a_second_time() -> None:
    assert where(folder("scenarios") / "any" / "my-bug.yaml") == []


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("my-bug.yaml", "my-bug.yaml is not of the form FOLDER/any/NAME.yaml"),
        ("mine/any/my-bug.json", "mine/any/my-bug.json is not of the form"),
        ("mine/any/My bug.yaml", "the path 'any/My bug' makes no scenario id"),
        ("blocked/any/my-bug.yaml", "blocked/any/my-bug.yaml cannot be written: "),
    ],
)
def test_an_unplayable_file_is_not_written(file: str, problem: str, tmp_path: Path) -> None:
    tmp_path.joinpath("blocked").touch()
    done = call("new", file, cwd=tmp_path)
    assert done.code == 4
    assert problem in done.err
    assert not tmp_path.joinpath(file).exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    done = call("new", FILE, cwd=tmp_path)
    assert (done.code, path.read_text()) == (4, "mine")
    assert f"{FILE} is there already, and is not overwritten" in done.err


def test_an_empty_file_is_filled_by_the_command_that_lint_names(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.touch()
    empty = call("lint", FILE, cwd=tmp_path)
    assert f"{FILE}:1:1: the file is empty" in empty.out
    assert f"streamproof new {FILE}\n" in empty.out
    assert call("new", FILE, cwd=tmp_path).code == 0
    assert call("lint", FILE, cwd=tmp_path).code == 0
