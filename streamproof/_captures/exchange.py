"""``Exchange``: a captured request with its answer, whatever it was captured by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.dialects.recording import Dump

if TYPE_CHECKING:
    from mockserver.scenario.script import CloseHow


NOTHING = Dump((), None)
"""The events of an answer that is no stream."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer.

    ``name`` says where it was, for messages. ``body`` is the JSON of the request; None if the
    capture does not have it. ``dump`` are the events of the answer. An answer that is no stream has
    a ``plain`` body instead. ``close`` is how the answer ended; None if the capture cannot tell.
    ``dialect`` is empty unless the capture says it. ``notes`` say what in the capture is not in its
    events.
    """

    name: str
    dump: Dump = NOTHING
    body: Any = None
    request_headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    plain: bytes | None = None
    close: CloseHow | None = None
    dialect: str = ""
    url: str = ""
    notes: tuple[str, ...] = ()
