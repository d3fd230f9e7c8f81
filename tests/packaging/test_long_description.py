"""The description that a package index shows has no link to a file that is not there."""

import re
import runpy
import zipfile
from collections.abc import Callable
from email import message_from_bytes
from email.policy import EmailPolicy
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

README = ROOT.joinpath("README.md").read_text("utf-8")
REPOSITORY = "https://example.com/streamproof"
TARGET = re.compile(r"\]\(([^)]*)\)")

long_description: Callable[[str, str], str] = runpy.run_path(str(ROOT / "hatch_build.py"))[
    "long_description"
]


@pytest.mark.parametrize(
    ("readme", "with_repository", "without"),
    [
        (
            "See [the page](docs/a.md#part).",
            f"See [the page]({REPOSITORY}/blob/HEAD/docs/a.md#part).",
            "See the page (docs/a.md#part).",
        ),
        (
            "[docs/a.md](docs/a.md), [`b.py`](b.py)",
            f"[docs/a.md]({REPOSITORY}/blob/HEAD/docs/a.md), [`b.py`]({REPOSITORY}/blob/HEAD/b.py)",
            "docs/a.md, `b.py`",
        ),
        ("[two\nlines](a.md)", f"[two\nlines]({REPOSITORY}/blob/HEAD/a.md)", "two\nlines (a.md)"),
        ("[above](#a-heading)", f"[above]({REPOSITORY}#a-heading)", "above"),
        ("![A page](docs/a.png)", f"![A page]({REPOSITORY}/raw/HEAD/docs/a.png)", ""),
        *(
            (same, same, same)
            for same in ("[elsewhere](https://example.org/a)", "```text\n[code](a.md)\n```")
        ),
    ],
)
def test_a_link_to_a_file_leads_to_the_repository_or_becomes_text(
    readme: str, with_repository: str, without: str
) -> None:
    assert long_description(readme, REPOSITORY) == with_repository
    assert long_description(readme, f"{REPOSITORY}/") == with_repository
    assert long_description(readme, "") == without


@pytest.mark.parametrize("repository", ["", REPOSITORY])
def test_every_link_of_the_readme_is_absolute(repository: str) -> None:
    _is_absolute(long_description(README, repository))


def test_no_link_is_lost_where_there_is_a_repository() -> None:
    made = TARGET.findall(long_description(README, REPOSITORY))
    assert len(made) == len(TARGET.findall(README)) > 10


@pytest.mark.installs
def test_the_wheel_has_the_description(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        metadata = message_from_bytes(archive.read(name), policy=EmailPolicy(utf8=True))
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = metadata.get_payload(decode=True)
    assert isinstance(text, bytes)
    _is_absolute(text.decode())
    assert text.decode().startswith("# streamproof\n")


def _is_absolute(text: str) -> None:
    relative = [each for each in TARGET.findall(text) if not each.startswith("https://")]
    assert not relative
