"""``Completion``: fills in what the fields of an event leave out, from the events before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mockserver.scenario.script import Send
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockserver.scenario.script import SendStep
    from mockserver.wire.event import Step


class Completion(Protocol):
    """The events of one turn so far, from which the fields of the next one are derived."""

    def preview(self, send: Send) -> Event:
        """The complete event of a send as the next one; nothing is remembered of it."""

    def event(self, send: Send) -> Event:
        """The complete event of a send; those that follow are derived from its data."""


class AsWritten:
    """The completion of a dialect whose scripts write every field of an event."""

    def preview(self, send: Send) -> Event:
        return Event(send.type, dict(send.fields), ignorable=not send.known)

    event = preview


def as_written(_turn: int, _generation: str) -> Completion:
    """Default of ``completion``, for a dialect whose scripts write every field of an event."""
    return AsWritten()


def completed(completion: Completion, steps: Iterable[SendStep]) -> Iterator[Step]:
    """Turn the sends of a script into complete events; other steps are passed through."""
    for step in steps:
        yield completion.event(step) if isinstance(step, Send) else step


def by_type(type_: str, _data: Mapping[str, Any]) -> Sequence[Send]:
    """Default of ``written``: an event is written by its type, with the fields of its data."""
    return (Send(type_),)
