"""One protocol event before it is bytes, and the steps of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mockserver.scenario.model import Common


@dataclass(frozen=True, slots=True)
class Event:
    """One protocol event before it is bytes; ``data`` may hold marks (``mockserver.wire.slots``).

    ``ignorable`` events are those that every adapter must pass over in silence: extension events,
    and whatever belongs to an item of a type that the dialect does not have. One that is
    ``on_request`` goes to those clients only that have asked to be told of usage.
    """

    type: str
    data: dict[str, Any]
    ignorable: bool = False
    on_request: bool = False


Step = Event | Common
"""An event of the dialect, or a step that scripts of all dialects share."""
