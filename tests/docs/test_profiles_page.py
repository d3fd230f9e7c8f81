"""The page of profiles is up to date with the tables of profiles and customs."""

from __future__ import annotations

from tests.docs.profiles_page import PLACE, page

_AGAIN = 'python -c "from tests.docs.profiles_page import write; write()"'


def test_the_page_has_every_profile_and_custom_as_it_is() -> None:
    assert PLACE.read_text("utf-8") == page(), f"make it again: {_AGAIN}"
