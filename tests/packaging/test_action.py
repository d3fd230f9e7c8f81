"""The GitHub action: its steps are played as a runner plays them, in a project of its own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.forked import write_forked_commands
from tests.docs.pages import ROOT
from tests.docs.project_copy import write_commands

ACTION: dict[str, Any] = yaml.safe_load(ROOT.joinpath("action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
PATIENCE = 120

_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")

SPOILT = """\
import sys

print("::error title=forged::by the adapter", file=sys.stderr)
raise SystemExit("no adapter")
"""


@dataclass(frozen=True)
class Job:
    """A project with an adapter, and what a runner has for it."""

    home: Path
    temp: Path
    bin: Path

    def run(self, step: Mapping[str, Any], **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run a step of the action in bash, as the runner does."""
        given = {name: said.get("default", "") for name, said in ACTION["inputs"].items()} | inputs
        context = {f"inputs.{name}": value for name, value in given.items()}
        assert step["shell"] == "bash"
        assert not _EXPRESSION.search(step["run"]), "inputs are not written into scripts"
        environment = {
            name: _EXPRESSION.sub(lambda found: context[found[1]], text)
            for name, text in step["env"].items()
        }
        own = {
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.home),
            "GITHUB_OUTPUT": str(self.temp / "output"),
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.home,
            env={**own, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def step(name: str) -> dict[str, Any]:
    return next(each for each in STEPS if each["name"] == name)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    home = tmp_path / "home"
    shutil.copytree(ROOT / "docs" / "first-adapter", home / "my adapter")
    temp = tmp_path / "temp"
    temp.mkdir()
    own = write_commands(tmp_path / "bin")
    write_forked_commands(own)
    return Job(home, temp, own)


def commands(log: str) -> list[str]:
    """The errors that the runner reads in a log: not those between stop-commands and its token."""
    found, token = [], ""
    for line in map(str.strip, log.splitlines()):
        if stopped := re.fullmatch("::stop-commands::(.+)", line):
            token = stopped[1]
        elif token:
            token = "" if line == f"::{token}::" else token
        elif line.startswith("::"):
            found.append(line)
    assert not token
    return found


@pytest.mark.parametrize("scenarios", ["--scenarios=mine", "--scenarios\nmine"])
def test_it_runs_the_suite_and_annotates_the_description(job: Job, scenarios: str) -> None:
    mine = job.home / "mine" / "any"
    mine.mkdir(parents=True)
    shutil.copy(ROOT / "scenarios" / "any" / "refusal.yaml", mine / "own.yaml")
    ran = job.run(
        step("Run the suite"),
        adapter="my adapter/adapter.yaml\n",
        arguments=f"{scenarios}\n-k\nany/own\n-q\n",
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    (error,) = commands(ran.stdout)
    place = "file=my adapter/adapter.yaml,line=3,col=12"
    title = "first-adapter%3A refusal-routed/refusal-elsewhere (hidden)"
    assert error.startswith(f"::error {place},title={title}::any/own@")
    made = job.temp / "streamproof"
    assert job.temp.joinpath("output").read_text("utf-8") == f"folder={made}\n"
    names = {path.name for path in made.iterdir()}
    assert names == {"results.jsonl", "results.html", "junit.xml", "badge.json"}
    # The page has the title only if it finds the scenario.
    assert "The model refuses" in made.joinpath("results.html").read_text("utf-8")


def test_what_an_adapter_writes_is_no_command(job: Job) -> None:
    job.home.joinpath("my adapter", "spoilt.py").write_text(SPOILT, "utf-8")
    description = job.home / "my adapter" / "adapter.yaml"
    text = description.read_text("utf-8")
    spoilt = text.replace(
        '{python: "first_adapter:FirstAdapter"}', f"{{exec: [{sys.executable}, spoilt.py]}}"
    )
    assert spoilt != text
    description.write_text(spoilt, "utf-8")
    ran = job.run(
        step("Run the suite"),
        adapter="my adapter/adapter.yaml",
        arguments="-k\nany/refusal\n--timelines=all",
    )
    assert ran.returncode != 0
    assert "::error title=forged" in ran.stdout
    assert [line for line in commands(ran.stdout) if "forged" in line.split("::")[1]] == []


def test_an_adapter_that_cannot_be_read_fails_the_step(job: Job) -> None:
    ran = job.run(step("Run the suite"), adapter="nowhere.yaml", arguments="-q")
    assert ran.returncode == 3
    assert "nowhere.yaml" in ran.stdout + ran.stderr


def test_pip_is_told_what_to_install(job: Job) -> None:
    job.bin.joinpath("python").write_text('#!/bin/sh\necho "$*"\n', "utf-8")
    install = step("Install streamproof")
    assert job.run(install).stdout == f"-m pip install --quiet {ROOT}\n"
    assert ROOT.joinpath("pyproject.toml").is_file()
    assert job.run(install, install="streamproof[fast]").stdout.endswith(" streamproof[fast]\n")


def test_the_page_is_kept_whatever_the_suite_finds() -> None:
    kept = step("Keep the page")
    assert kept["if"].startswith("${{ always() ")
    assert kept["uses"].startswith("actions/upload-artifact@")
    assert kept["with"]["path"] == ACTION["outputs"]["folder"]["value"]


def test_the_script_of_the_action_is_what_this_project_runs() -> None:
    assert ".ci/conformance" in ROOT.joinpath(".ci", "run").read_text("utf-8").splitlines()[-1]
    assert "$GITHUB_ACTION_PATH/.ci/conformance" in step("Run the suite")["run"]
