"""The README's two commands set up the project, and are the ones that the checks run."""

from tests.docs.pages import ROOT, blocks
from tests.docs.run_blocks import SETS_UP

_README = ROOT.joinpath("README.md").read_text("utf-8")


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


def test_it_opens_with_what_was_found_then_with_a_timeline() -> None:
    title, what, found, *_ = _README.split("\n\n")
    assert title == "# streamproof"
    assert "\n" not in what + found
    assert "findings](docs/findings.md)" in found
    assert blocks("README.md")[0].text.startswith("streamproof show ")


def test_it_shows_the_scenario_that_new_writes() -> None:
    (shown,) = (each for each in blocks("README.md") if each.file.startswith("my-scenarios/"))
    written = ROOT.joinpath("streamproof/_commands/scenario_skeletons/any.yaml").read_text("utf-8")
    assert _without_comments(written) == _without_comments(shown.content)


def _without_comments(text: str) -> list[str]:
    lines = text.splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def test_no_other_page_has_set_up_commands() -> None:
    others = ("CONTRIBUTING.md", "docs/adapters.md", "docs/scenarios.md", "docs/server.md")
    assert not [b.place for page in others for b in blocks(page) if SETS_UP.search(b.text)]
