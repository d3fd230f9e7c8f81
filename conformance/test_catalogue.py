"""The suite: the catalogue, case by case, against an adapter."""

from collections.abc import Callable

import pytest

from conformance.suite.workbench import Item

# Whether a warning is an error is for the adapter's project to say, not for a verdict.
pytestmark = pytest.mark.filterwarnings("default")


def test_case(streamproof_item: Item, streamproof_play: Callable[[Item], None]) -> None:
    """The adapter handles this case as a correct adapter does."""
    streamproof_play(streamproof_item)
