"""Links of the project's pages lead to the site's pages, or to files that are copied into it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.pages import PAGES, ROOT
from website.__main__ import main
from website.links import rewrite_links
from website.start import pages, places
from website.tree import project_pages, settings

README = ROOT.joinpath("README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "place", "link", "there", "files"),
    [
        ("docs/a.md", "a.md", "[b](server.md#faults)", "[b](server.md#faults)", set()),
        ("README.md", "start/bug.md", "[b](docs/tests.md)", "[b](../tests.md)", set()),
        ("docs/a.md", "a.md", "[`b`](../CONTRIBUTING.md)", "[`b`](contributing.md)", set()),
        ("docs/a.md", "a.md", "[b](#here)", "[b](#here)", set()),
        (
            *("docs/findings/a.md", "findings/a.md", "[b](../../scenarios/any/refusal.yaml)"),
            *("[b](../scenarios/any/refusal.md)", set()),
        ),
        (
            *("docs/a.md", "a.md", "[b](../schemas/driver.json)"),
            *("[b](files/schemas/driver.json)", {"schemas/driver.json"}),
        ),
        ("README.md", "index.md", "![b](docs/page.png)", "![b](page.png)", {"docs/page.png"}),
        (
            *("docs/findings/a.md", "findings/a.md", "[`call-once`](../semantics.md#call-once)"),
            *("[`call-once`](../rules/call-once.md)", set()),
        ),
        (
            *("docs/a.md", "a.md", "[`strict`](semantics.md#strict-adapters)"),
            *("[`strict`](semantics.md#strict-adapters)", set()),
        ),
        ("docs/a.md", "a.md", "[all](../scenarios)", "[all](catalogue.md)", set()),
        (
            *("docs/a.md", "a.md", "[b](../conformance/rules/streams.py)"),
            *("[b](rules.md#what-an-upstream-sends)", set()),
        ),
        (
            "README.md",
            "index.md",
            "[docs/node.md](docs/node.md)",
            "[Adapters in Node](node.md)",
            set(),
        ),
        ("docs/a.md", "a.md", "[`node.md`](node.md)", "[Adapters in Node](node.md)", set()),
        ("docs/a.md", "a.md", "[the tests](../tests)", "the tests", set()),
        ("docs/a.md", "a.md", "[b](https://x.org/y.md)", "[b](https://x.org/y.md)", set()),
        ("docs/a.md", "a.md", "`[b](../x.py)`", "`[b](../x.py)`", set()),
        # Each code span could be read in two ways: 2 to the 60th if all of them were tried.
        ("docs/a.md", "a.md", "[" + "`b` " * 60, "[" + "`b` " * 60, set()),
        ("docs/a.md", "a.md", "```sh\n[b](../x.py)\n```", "```sh\n[b](../x.py)\n```", set()),
        (
            *("docs/a.md", "a.md", '<div class="timeline">[b](../x.py)</div>'),
            *('<div class="timeline">[b](../x.py)</div>', set()),
        ),
    ],
)
def test_links_fit_the_site(path: str, place: str, link: str, there: str, files: set[str]) -> None:
    assert rewrite_links(link, path, place) == (there, files)


def test_each_of_the_readmes_three_readers_has_a_page() -> None:
    made = pages(README)
    assert sorted(made) == sorted({"index.md", *places(README).values()})
    assert len(made) == 4
    for anchor, place in places(README).items():
        assert re.search("^# You ", made[place], re.MULTILINE)
        assert f"(#{anchor})" in made["index.md"]
        text, _ = rewrite_links(made["index.md"], "README.md", "index.md", places(README))
        assert f"({place}#{anchor})" in text


def test_a_page_for_a_reader_can_be_understood_alone() -> None:
    for place, text in pages(README).items():
        if place != "index.md":
            rewritten_text, _ = rewrite_links(text, "README.md", place, places(README))
            assert "[set up](../index.md#set-up)" in rewritten_text
            assert not re.search(r"\babove\b|\bbelow\b", text), place


def test_the_first_page_sends_its_readers_on_before_the_first_block_of_code() -> None:
    opening, chooses, code = pages(README)["index.md"].partition("Where to start:")
    assert chooses
    assert "An *adapter* turns" in opening
    assert "```" not in opening
    assert code.partition("```")[0].count("](#you-") == 3
    looked_up = re.findall(r"\]\(docs/(.+?\.md)\)", code.partition("```")[0])
    assert {"rules.md", "catalogue.md", "reference/events.md", "findings.md"} <= set(looked_up)


def test_every_page_of_docs_is_in_the_navigation() -> None:
    named = set(re.findall(r"(\S+\.md)$", settings(), re.MULTILINE))
    docs = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    missing = {page for page in docs if "/" not in page} - named
    assert not missing, f"name them below `nav` in website/mkdocs.yml: {missing}"


def test_a_page_of_an_installed_package_is_none_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("docs/a.md", "docs/findings/b.md", "docs/node/node_modules/c/README.md"):
        tmp_path.joinpath(place).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(place).write_text("# A", "utf-8")
    monkeypatch.setattr("website.tree.ROOT", tmp_path)
    assert [page for page in project_pages() if "docs/" in page] == [
        "docs/a.md",
        "docs/findings/b.md",
    ]


def test_a_folder_with_other_files_is_not_replaced() -> None:
    folder = ROOT / "docs"
    ran = CliRunner().invoke(main, [str(folder)])
    assert (ran.exit_code, "has other files in it" in ran.output) == (2, True)
    assert folder.joinpath("server.md").exists()
