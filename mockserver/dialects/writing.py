"""``Writing``: how scenarios write the events of a dialect in ``sends``, and captures read them."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Protocol

from mockserver.foundation.faults import Problem
from mockserver.scenario.script import Says, Send, Sends, SendStep
from mockserver.wire.event import Event, Step, limit_values

Script = Says | Sends


@dataclass(frozen=True, slots=True)
class LintWarning:
    """A field that is sent in another place, or beside another value, than was probably meant.

    ``step`` is the index of the step, ``path`` leads to the field in it. ``message`` says what is
    sent, ``hint`` what to write instead.
    """

    path: tuple[str | int, ...]
    message: str
    hint: str
    step: int = 0


class Completion(Protocol):
    """The events of one turn so far, from which fields that the next one leaves out are derived."""

    def preview(self, send: Send) -> Event:
        """The complete event of a send as the next one; nothing is remembered of it."""

    def event(self, send: Send) -> Event:
        """The complete event of a send; those that follow are derived from its data."""


class AsWritten:
    """The completion of a dialect whose scripts write every field of an event."""

    def preview(self, send: Send) -> Event:
        return Event(send.type, dict(send.fields), ignorable=not send.known)

    event = preview


def complete(completion: Completion, steps: Iterable[SendStep]) -> tuple[Step, ...]:
    """Turn the sends of a script into complete events; other steps are passed through.

    Raises ScenarioError if the events have too many values.
    """
    events = (completion.event(step) if isinstance(step, Send) else step for step in steps)
    return tuple(limit_values(events))


def no_problems(_script: Script, _conduct: str, _types: Set[str]) -> list[Problem]:
    """Default of ``Writing.check``: scripts cannot be wrong."""
    return []


def no_warnings(_script: Sends, _sent: Sequence[Step]) -> Iterable[LintWarning]:
    """Default of ``Writing.warn``: nothing is filled in."""
    return ()


def all_as_written(_turn: int, _generation: str) -> Completion:
    """Default of ``Writing.completion``: scripts write every field."""
    return AsWritten()


def by_type(type_: str, _data: Mapping[str, Any]) -> Sequence[Send]:
    """Default of ``Writing.spell``: an event is written by its type and all fields of its data."""
    return (Send(type_),)


@dataclass(frozen=True, slots=True)
class Writing:
    """How the events of a dialect are written in scenario files.

    - ``check`` lists the mistakes in a script of a conduct, such as event types that the dialect
      does not have. Its third argument has the types of the scenario's profile.
    - ``warn`` lists the fields of a script that are sent otherwise than was probably meant. Its
      second argument has what is sent for each step.
    - ``completion`` completes the events of a script's ``sends`` one by one; it depends on the turn
      and the generation.
    - ``spell`` lists the ways in which a script can write an event of this type and data, the
      shortest first, without the fields that their completion lacks.
    - ``shared_fields`` are the fields of an event which all events of a stream may have in common,
      besides those that a script writes in its steps; None for an event that has none of these. A
      dialect without it has no such events.
    - ``generations`` are the versions of the event vocabulary, the default first; empty if there
      is only one.
    """

    check: Callable[[Script, str, Set[str]], list[Problem]] = no_problems
    warn: Callable[[Sends, Sequence[Step]], Iterable[LintWarning]] = no_warnings
    completion: Callable[[int, str], Completion] = all_as_written
    spell: Callable[[str, Mapping[str, Any]], Sequence[Send]] = by_type
    shared_fields: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] | None = None
    generations: tuple[str, ...] = ()
