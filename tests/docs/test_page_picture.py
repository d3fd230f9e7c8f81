"""The README's picture of the page shows the page as it is, where Chromium can say."""

from pathlib import Path

import pytest

from tests.docs.page_picture import PICTURE, SIZE, size_of, taken, text_of, with_text
from tests.docs.pages import ROOT
from tests.suite.browser import BROWSER

_AGAIN = 'write it again: python -c "from tests.docs.page_picture import write; write()"'


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
async def test_the_picture_is_of_the_page_as_it_is(tmp_path: Path) -> None:
    now, text = await taken(tmp_path)
    assert size_of(now) == SIZE
    assert text_of(PICTURE.read_bytes()) == text, _AGAIN


def test_the_readme_shows_the_picture_in_its_size() -> None:
    assert size_of(PICTURE.read_bytes()) == SIZE
    assert "](docs/page.png)" in ROOT.joinpath("README.md").read_text("utf-8")


def test_a_picture_carries_a_text_and_stays_the_same_picture() -> None:
    plain = PICTURE.read_bytes()
    described = with_text(plain, "pass ✗")
    assert size_of(described) == size_of(plain)
    assert text_of(described) == "pass ✗"
