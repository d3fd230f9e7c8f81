"""``Event``, a protocol event before it is encoded, and ``Step``, what a turn consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mockserver.scenario.script import Common


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
class Torn:
    """The beginning of an event: its first ``bytes`` bytes, but never all of its last line.

    With None, only the empty line is missing that would end the event.
    """

    event: Event
    bytes: int | None


Step = Event | Torn | Common
"""An event of the dialect, or a step that all dialects share, such as a pause or a checkpoint."""
