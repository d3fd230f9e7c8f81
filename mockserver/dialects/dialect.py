"""What the server and the kit ask of a dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.conversation import Entry
from mockserver.dialects.profile import Profile
from mockserver.faults import Problem
from mockserver.scenario.model import Says, Send, Sends
from mockserver.wire.event import Step
from mockserver.wire.slots import Values
from mockserver.wire.variation import Variation


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


def read_headers(dialect: Dialect, headers: Mapping[str, str]) -> dict[str, str]:
    """Those of a request's headers that its dialect reads; their names may be in any case."""
    if not (wanted := dialect.reads_headers):
        return {}
    return {low: value for name, value in headers.items() if (low := name.lower()) in wanted}


@dataclass(frozen=True, slots=True)
class Whole:
    """The answer to a request that asked for no stream."""

    status: int
    body: dict[str, Any]


LookUp = Callable[[Sequence[str], Mapping[str, str]], dict[str, Any]]
"""The JSON answer to a look-up, from the ids of all models and the headers of the request."""


class Dialect(Protocol):
    """One wire vocabulary."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Former names, which are read wherever the name is (``mockserver.dialects.aliases``)."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The paths of its requests below the base URL, such as ``responses``; the usual one first.

        ``{model}`` stands for a model's id, as in ``models/{model}:streamGenerateContent``.
        """

    @property
    def lookups(self) -> Mapping[str, LookUp]:
        """What its clients look up by GET, by path, beside ``models``."""

    @property
    def says_call_complete(self) -> bool:
        """Whether the wire says that a call is complete before the response ends."""

    @property
    def names_events(self) -> bool:
        """Whether an ``event:`` line stands before the data of each event."""

    @property
    def closing(self) -> str:
        """The data that follows the event that ends a response, such as ``[DONE]``; or empty."""

    @property
    def id_prefix(self) -> str:
        """The beginning of the ids of its responses."""

    @property
    def tells(self) -> frozenset[str]:
        """What its wire has words for: ``refusals`` (else they are text), ``codes`` of errors."""

    @property
    def lacks(self) -> Mapping[str, str]:
        """The needs of scripts (``mockserver.scenario.needs``) that it cannot carry, and why."""

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The changes to its events under which an adapter's parts stay the same."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The upstreams that speak it, each with the variations under which it is imitated."""

    @property
    def generations(self) -> tuple[str, ...]:
        """The generations in which its events are spelt, the usual one first; none if just one."""

    @property
    def answers_with(self) -> Mapping[str, str]:
        """What the headers of its streams say beyond those of every event stream."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms in which a request may want the same events; the usual one stands first."""

    def formed(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        """The steps in one of the forms; events keep their order."""

    def ends(self, type_: str, data: Any) -> bool:
        """Whether the event says how the response ended, so that the closing data follows."""

    def seals(self, type_: str) -> bool:
        """Whether nothing counts that comes after an event of this type."""

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        """The mistakes in a script, such as an event that the dialect does not have."""

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

    def inbound(self, body: Any, headers: Mapping[str, str], path: str = "") -> Inbound:
        """Read and check a request's JSON body; the names of ``headers`` are in lower case.

        ``path`` is the operation as the client wrote it, where it has a place for a model.
        """

    def sample(self) -> Values:
        """Slot values for showing events outside of any request."""

    def refusal(
        self, status: int, message: str, *, param: str | None = None
    ) -> dict[str, Any] | str:
        """An HTTP error's body in the dialect's own shape: JSON, or plain text."""
