"""The README's two commands set up the project, and are the ones that the checks run."""

from __future__ import annotations

from tests.docs.pages import ROOT, blocks
from tests.docs.run_blocks import SETS_UP


def set_up_commands() -> list[str]:
    """The commands of the README that make an environment, in order."""
    return [block.text.strip() for block in blocks("README.md") if SETS_UP.search(block.text)]


def test_each_of_the_two_commands_is_one_line() -> None:
    runs, tests = set_up_commands()
    assert "\n" not in runs + tests
    assert runs.endswith("/pytest conformance")
    assert tests.endswith("/pytest -n auto")


def test_the_checks_run_the_test_command_verbatim() -> None:
    _, tests = set_up_commands()
    assert tests in ROOT.joinpath(".ci/run").read_text("utf-8").splitlines()


def test_no_other_page_has_set_up_commands() -> None:
    others = ("CONTRIBUTING.md", "docs/adapters.md", "docs/scenarios.md", "docs/server.md")
    assert not [b.place for page in others for b in blocks(page) if SETS_UP.search(b.text)]
