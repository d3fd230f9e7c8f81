"""``Event``, a protocol event before it is encoded, and ``Step``, what a turn consists of.

Also filters and maps over the steps of a turn, and bounds: events that repeat what came before may
grow with each other event.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mockserver.foundation.faults import Problem, ScenarioError
from mockserver.foundation.json_fields import omit
from mockserver.scenario.script import Checkpoint, Common

MAX_VALUES = 2_000_000
"""The most JSON values in the events of a turn."""

MAX_CHARACTERS = 64 << 20
"""The most characters of a stream."""

_HINT = "shorten its texts, or send fewer events that repeat them"


@dataclass(frozen=True, slots=True)
class Event:
    """A protocol event before it is encoded; ``data`` may hold marks (``mockserver.wire.slots``).

    ``ignorable`` events are those that every adapter must silently ignore: extension events, and
    all events of an item whose type the dialect does not define. An ``on_request`` event is sent
    only to clients that requested usage; ``nulls_on_request`` are fields that only these clients
    get, as null, if ``data`` has no value for them. ``declinable`` are fields that are not sent to
    clients that decline padding.
    """

    type: str
    data: dict[str, Any]
    ignorable: bool = False
    on_request: bool = False
    nulls_on_request: tuple[str, ...] = ()
    declinable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartialEvent:
    """The beginning of an event: its first ``bytes`` bytes, but never all of its last line.

    With None, only the empty line is missing that would end the event.
    """

    event: Event
    bytes: int | None


Step = Event | PartialEvent | Common
"""An event of the dialect, or a step that all dialects share, such as a pause or a checkpoint."""

Change = Callable[[Sequence[Step]], Sequence[Step]]
"""A change of the steps of a turn."""

Data = dict[str, Any]


def events_in(steps: Sequence[Step]) -> Iterator[Event]:
    """The events among the steps."""
    return (step for step in steps if isinstance(step, Event))


def map_events(change: Callable[[int, Data], Data]) -> Change:
    """A change of steps that applies ``change`` to each event's step number and data."""

    def changed(steps: Sequence[Step]) -> Sequence[Step]:
        return [
            replace(step, data=change(n, step.data)) if isinstance(step, Event) else step
            for n, step in enumerate(steps)
        ]

    return changed


def drop_declinable(steps: Sequence[Step]) -> list[Step]:
    """The steps without the fields that a client may decline."""
    return [
        replace(step, data=omit(step.data, step.declinable))
        if isinstance(step, Event) and step.declinable
        else step
        for step in steps
    ]


def drop_checkpoints(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps without their checkpoints."""
    return [step for step in steps if not isinstance(step, Checkpoint)]


def limit_values(steps: Iterable[Step]) -> Iterator[Step]:
    """The same steps, one by one. Raises ScenarioError once their events have too many values."""
    count = 0
    for step in steps:
        if isinstance(step, Event):
            count += _size(step.data)
            if count > MAX_VALUES:
                message = f"the events of a turn have more than {MAX_VALUES:,} values"
                raise ScenarioError(Problem(message, hint=_HINT))
        yield step


def require_short(characters: int) -> None:
    """Raise ScenarioError if a stream of this many characters is too long."""
    if characters > MAX_CHARACTERS:
        message = f"the events of a turn have more than {MAX_CHARACTERS:,} characters"
        raise ScenarioError(Problem(message, hint=_HINT))


def _size(value: Any) -> int:
    """The number of values in a JSON value, itself included."""
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
