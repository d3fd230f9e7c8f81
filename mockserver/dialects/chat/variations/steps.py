"""Maps over the chunks of a turn, their choices and deltas, for variations."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from mockserver.wire.event import Change, Data, Event, Step
from mockserver.wire.variation import EVERYWHERE, Misfit, Variation, always_fits


def is_chunk(step: Step | None) -> TypeGuard[Event]:
    """Whether the step is an event with a list of choices, which may be empty."""
    if not isinstance(step, Event) or step.ignorable:
        return False
    return isinstance(step.data.get("choices"), list)


def map_chunks(change: Callable[[Event], Event]) -> Change:
    """Apply ``change`` to every chunk, including those without choices."""
    return lambda steps: [change(step) if is_chunk(step) else step for step in steps]


def each_chunk(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to the data of every chunk."""
    return map_chunks(lambda chunk: replace(chunk, data=change(chunk.data)))


def each_choice(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every choice of every chunk."""
    return each_chunk(
        lambda data: {
            **data,
            "choices": [change(one) if isinstance(one, dict) else one for one in data["choices"]],
        }
    )


def each_delta(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every delta."""

    def change_delta(choice: Data) -> Data:
        delta = choice.get("delta")
        return {**choice, "delta": change(delta)} if isinstance(delta, dict) else choice

    return each_choice(change_delta)


def departing(
    name: str, about: str, change_steps: Change, misfit: Misfit = always_fits
) -> Variation:
    """A variation whose streams OpenAI's specification does not allow."""
    said = f"{about} (not within OpenAI's specification)"
    return Variation(name, said, change_steps=change_steps, departs_in=EVERYWHERE, misfit=misfit)
