"""A dialect's completion completes the events of ``sends`` one by one, as its ``steps`` do."""

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.dialects.chat.checks import find_misspelt_fields
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Step

SCENARIOS = [entry.scenario for entry in Catalogue.shipped().entries() if entry.scenario]


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_a_preview_is_the_next_event_and_is_not_remembered(dialect: str) -> None:
    previewed = 0
    for scenario in (each for each in SCENARIOS if dialect in each.dialects):
        for n, turn in enumerate(scenario.turns):
            if not isinstance(turn.script, Sends):
                continue
            completion = DIALECTS[dialect].writing.completion(n, turn.script.generation)
            completed: list[Step] = []
            for step in turn.script.steps:
                if isinstance(step, Send):
                    before = completion.preview(step).data
                    assert completion.preview(step).data == before, scenario.id
                    event = completion.event(step)
                    assert event.data == before, scenario.id
                    completed.append(event)
                    previewed += 1
                else:
                    completed.append(step)
            assert tuple(completed) == DIALECTS[dialect].steps(turn.script, n), scenario.id
    assert previewed


def test_a_field_is_misspelt_only_in_place_of_the_one_that_is_meant() -> None:
    spelt = {"prompt_tokens": 1, "prompt_token": 2}
    assert list(find_misspelt_fields("usage", spelt)) == []
    assert list(find_misspelt_fields("usage", {"prompt_token": 2})) == [
        (("prompt_token",), "prompt_tokens")
    ]
