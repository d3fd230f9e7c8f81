"""Checks what pages show of the configuration of CI servers."""

import shlex
from typing import Any

import yaml

from mockserver.scenario.source import read
from tests.docs.pages import ROOT, Block
from tests.docs.project_copy import Stage

OWN = "OWNER/streamproof@"

# Tests in tests/packaging install the package.
_INSTALLS = "pip install "


def of_few_cases(script: str) -> str:
    """A script whose runs of the suite play a few cases, where it selects none."""
    whole = "streamproof run " in script and " -k " not in script
    return f"export PYTEST_ADDOPTS='-k refusal'\n{script}" if whole else script


def check_workflow(_stage: Stage, block: Block) -> None:
    """Check that a workflow of GitHub gives the action the inputs that it has."""
    workflow = read(block.text.encode(), block.place).value
    inputs = yaml.safe_load(ROOT.joinpath("action.yml").read_text("utf-8"))["inputs"]
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for step in (each for each in steps if each.get("uses", "").startswith(OWN)):
        required = {name for name, given in inputs.items() if given.get("required")}
        assert required <= step["with"].keys() <= inputs.keys(), block.place
        assert ROOT.joinpath(step["with"]["adapter"]).is_file(), block.place


def check_container(block: Block) -> None:
    """Check the names in commands of docker; tests/packaging builds the image, where it can."""
    build, run = map(shlex.split, block.text.splitlines())
    file = ROOT.joinpath(build[build.index("--file") + 1]).read_text("utf-8")
    _, host, inner = run[run.index("--publish") + 1].split(":")
    assert (host, f"EXPOSE {inner}" in file) == (inner, True), block.place
    assert run[-1] == build[build.index("--tag") + 1], block.place


def run_pipeline(stage: Stage, block: Block) -> None:
    """Run the scripts of GitLab's jobs; the files that they keep must be there then."""
    jobs: dict[str, Any] = read(block.text.encode(), block.place).value
    for job in jobs.values():
        for part in ("script", "after_script"):
            lines = [line for line in job[part] if not line.startswith(_INSTALLS)]
            stage.run("sh", "-e", "-c", of_few_cases("\n".join(lines)))
        kept = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
        assert [name for name in kept if not stage.home.joinpath(name).is_file()] == [], block.place
