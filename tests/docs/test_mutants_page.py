"""The page of mutants has every operator and every declared equivalent."""

from tests.docs.mutants_page import PLACE, page

_AGAIN = 'python -c "from tests.docs.mutants_page import write; write()"'


def test_the_page_has_every_equivalent_with_its_reason() -> None:
    assert PLACE.read_text("utf-8") == page(), f"make it again: {_AGAIN}"
