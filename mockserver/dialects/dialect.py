"""What the server and the kit ask of a dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.conversation import Entry
from mockserver.faults import Problem
from mockserver.scenario.model import Common, Says, Send, Sends
from mockserver.wire.slots import Values


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


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as a dialect reads it: what is wrong with it, and what the answer depends on.

    ``tools`` are those that may be called, by name with the schema of their input, or None where a
    request has no place for them; ``previous`` is the id of the response that the conversation goes
    on from, where the upstream keeps it; ``limit`` is the most output tokens that it allows. What
    is streamed depends on the ``form``, one of the dialect's own.
    """

    problems: tuple[str, ...]
    stream: bool
    model: str
    echo: Mapping[str, Any] = field(default_factory=dict)
    conversation: tuple[Entry, ...] = ()
    tools: tuple[tuple[str, Any], ...] | None = ()
    previous: str = ""
    form: str = ""
    limit: int | None = None


def read_of(dialect: Dialect, headers: Mapping[str, str]) -> dict[str, str]:
    """Those of a request's headers that its dialect reads; their names may be in any case."""
    if not (wanted := dialect.reads_headers):
        return {}
    return {low: value for name, value in headers.items() if (low := name.lower()) in wanted}


@dataclass(frozen=True, slots=True)
class Whole:
    """The answer to a request that asked for no stream."""

    status: int
    body: dict[str, Any]


class Dialect(Protocol):
    """One wire vocabulary."""

    @property
    def name(self) -> str: ...

    @property
    def operation(self) -> str:
        """The path of its request below the base URL, such as ``responses``."""

    @property
    def says_call_complete(self) -> bool:
        """Does the wire say that a call is complete before the response ends?"""

    @property
    def names_events(self) -> bool:
        """Does an ``event:`` line stand before the data of each event?"""

    @property
    def id_prefix(self) -> str:
        """What the ids of its responses begin with."""

    @property
    def tells(self) -> frozenset[str]:
        """What its wire has words for: ``refusals`` (else they are text), ``codes`` of errors."""

    @property
    def answers_with(self) -> Mapping[str, str]:
        """What the headers of its streams say beyond those of every event stream."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms in which a request may want the same events; the usual one stands first."""

    def formed(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        """The steps in one of the forms; events keep their order."""

    def ends(self, type_: str, data: Any) -> bool:
        """Does such an event say how the response ended, so that ``[DONE]`` may follow?"""

    def seals(self, type_: str) -> bool:
        """Does nothing count that comes behind an event of this type?"""

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        """What stands in the script that this dialect cannot carry."""

    def of_format_1(self, send: Send) -> Send:
        """An event of a file of format 1, its nulls as absent fields where they remove a field."""

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:
        """The script as events of this dialect, derived fields filled in."""

    def whole(self, steps: Sequence[Step], form: str) -> Whole | None:
        """The answer, in one of the forms, to a request that asked for no stream.

        None where the response never ends.
        """

    @property
    def reads_headers(self) -> tuple[str, ...]:
        """The headers, in lower case, that a request says something by."""

    def inbound(self, body: Any, headers: Mapping[str, str]) -> Inbound:
        """Read and check a request's JSON body; the names of ``headers`` are in lower case."""

    def sample(self) -> Values:
        """Slot values for showing events outside of any request."""

    def refusal(
        self, status: int, message: str, *, param: str | None = None
    ) -> dict[str, Any] | str:
        """An HTTP error's body in the dialect's own shape: JSON, or plain text."""
