"""Items are played in advance, and each result is given to the one who asks for it."""

import threading
from typing import cast

import pytest

from conformance.contract.adapter import Description
from conformance.report.results import Result
from conformance.suite.workbench import Item, Lookahead

BOUND = 20.0
ITEMS = [Item(f"any/{n}@chat", cast("Description", None), None) for n in range(25)]


def passed(item: Item) -> Result:
    return Result(item.id, "one", "passed")


def test_results_come_in_the_order_in_which_they_are_asked_for() -> None:
    ahead = Lookahead(passed, ITEMS, 4)
    asked = [*ITEMS[5:], *ITEMS[:5]]
    assert [ahead.result(item).case for item in asked] == [item.id for item in asked]
    ahead.close()


def test_an_item_that_takes_long_does_not_hold_up_the_others() -> None:
    played: list[str] = []
    all_others = threading.Event()

    def play(item: Item) -> Result:
        if item is ITEMS[0]:
            assert all_others.wait(BOUND)
        played.append(item.id)
        if len(played) == len(ITEMS) - 1:
            all_others.set()
        return passed(item)

    ahead = Lookahead(play, ITEMS, 2)
    assert ahead.result(ITEMS[0]).case == played[-1] == ITEMS[0].id
    ahead.close()


def test_what_playing_an_item_raises_is_raised_for_the_one_who_asks_for_it() -> None:
    def play(item: Item) -> Result:
        if item is ITEMS[1]:
            raise LookupError(item.id)
        return passed(item)

    ahead = Lookahead(play, ITEMS, 2)
    assert ahead.result(ITEMS[0]).status == "passed"
    with pytest.raises(LookupError, match="any/1@chat"):
        ahead.result(ITEMS[1])
    ahead.close()


def test_after_a_stop_only_items_that_are_asked_for_are_played() -> None:
    played: list[str] = []

    def play(item: Item) -> Result:
        played.append(item.id)
        return passed(item)

    ahead = Lookahead(play, ITEMS, 2)
    ahead.stop()
    assert ahead.result(ITEMS[7]).case == ITEMS[7].id
    ahead.close()
    assert played == [ITEMS[7].id]
