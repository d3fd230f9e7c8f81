"""What the server and the kit ask of a dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.faults import Problem
from mockserver.scenario.model import Common, Says, Sends
from mockserver.slots import Values


@dataclass(frozen=True, slots=True)
class Event:
    """One protocol event before it is bytes; ``data`` may hold marks (``mockserver.slots``).

    ``ignorable`` events are those that every adapter must pass over in silence: extension events,
    and whatever belongs to an item of a type that the dialect does not have.
    """

    type: str
    data: dict[str, Any]
    ignorable: bool = False


Step = Event | Common


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as a dialect reads it: what is wrong with it, and what the answer depends on.

    ``said`` is the last text of a user, ``tools`` are those that may be called, by name with the
    schema of their input, ``answered`` says that the last word is a tool's result.
    """

    problems: tuple[str, ...]
    stream: bool
    model: str
    echo: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""
    tools: tuple[tuple[str, Any], ...] = ()
    answered: bool = False


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
    def terminal(self) -> frozenset[str]:
        """The types of the events that end a response."""

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        """What stands in the script that this dialect cannot carry."""

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:
        """The script as events of this dialect, derived fields filled in."""

    def whole(self, steps: tuple[Step, ...]) -> dict[str, Any] | None:
        """The answer to a request that asked for no stream; None where the response never ends."""

    def inbound(self, body: Any) -> Inbound:
        """Read and check a request's JSON body."""

    def sample(self) -> Values:
        """Slot values for showing events outside of any request."""

    def refusal(self, status: int, message: str, *, param: str | None = None) -> dict[str, Any]:
        """An HTTP error's body in the dialect's own shape."""
