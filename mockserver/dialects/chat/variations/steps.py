"""Maps over the chunks of a turn, their choices and deltas, for variations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.wire.event import Change, Data, Event, Step


def is_chunk(step: Step) -> bool:
    """Whether the step is an event with a list of choices, which may be empty."""
    return (
        isinstance(step, Event)
        and not step.ignorable
        and isinstance(step.data.get("choices"), list)
    )


def each_chunk(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every chunk, including those without choices."""

    def changed(steps: Sequence[Step]) -> Sequence[Step]:
        return [
            replace(step, data=change(step.data))
            if isinstance(step, Event) and is_chunk(step)
            else step
            for step in steps
        ]

    return changed


def each_choice(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every choice of every chunk."""
    return each_chunk(lambda data: {**data, "choices": list(map(_if_object(change), _list(data)))})


def each_delta(change: Callable[[Data], Data]) -> Change:
    """Apply ``change`` to every delta."""

    def changed(choice: Data) -> Data:
        delta = choice.get("delta")
        return {**choice, "delta": change(delta)} if isinstance(delta, dict) else choice

    return each_choice(changed)


def _if_object(change: Callable[[Data], Data]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, dict) else value


def _list(data: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = data["choices"]
    return found
