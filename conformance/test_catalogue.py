"""The suite: the catalogue, case by case, against an adapter."""

from collections.abc import Callable

from conformance.suite import Item


def test_case(streamproof_item: Item, streamproof_play: Callable[[Item], None]) -> None:
    """The adapter makes of this case what a correct adapter makes of it."""
    streamproof_play(streamproof_item)
