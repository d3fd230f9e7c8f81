"""``Dialect``: the interface of a wire format, and what it makes of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.conversation import Entry
from mockserver.dialects.profile import Profile
from mockserver.faults import Problem
from mockserver.scenario.script import Says, Send, Sends
from mockserver.wire.event import Step
from mockserver.wire.slots import Values
from mockserver.wire.variation import Variation


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as its dialect reads it: its problems, and what the answer depends on.

    ``stream`` is whether a stream is requested. ``echo`` has the values of the answer that repeat
    fields of the request. ``tools`` are the callable tools as (name, schema of the input), or None
    if requests of the dialect cannot have any. ``previous`` is the id of the response that the
    conversation continues, if the upstream stores it. ``form`` is one of the dialect's forms of a
    stream, and ``limit`` the maximum number of output tokens.
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
    """The headers of a request that its dialect reads, with their names in lower case."""
    if not (wanted := dialect.request_headers):
        return {}
    return {low: value for name, value in headers.items() if (low := name.lower()) in wanted}


@dataclass(frozen=True, slots=True)
class NonStreamingAnswer:
    """The HTTP status and JSON body for a request that does not ask for a stream."""

    status: int
    body: dict[str, Any]


LookUp = Callable[[Sequence[str], Mapping[str, str]], dict[str, Any]]
"""Makes the JSON answer to a look-up from the ids of all models and the request's headers."""


class Dialect(Protocol):
    """A wire format of streams of model output, with its requests and errors."""

    @property
    def name(self) -> str:
        """The name in case ids and scenario files, such as ``openresponses``."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Former names that are still accepted (``mockserver.dialects.aliases``)."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The paths of its requests below the base URL, such as ``responses``; the default first.

        ``{model}`` stands for a model's id, as in ``models/{model}:streamGenerateContent``.
        """

    @property
    def lookups(self) -> Mapping[str, LookUp]:
        """Answers to its clients' GET requests besides ``models``, by path."""

    @property
    def says_call_complete(self) -> bool:
        """Whether an event says that a call is complete before the response ends."""

    @property
    def names_events(self) -> bool:
        """Whether each event has an ``event:`` line with its type."""

    @property
    def closing(self) -> str:
        """The data that ends a stream after its terminal event, such as ``[DONE]``; or empty."""

    @property
    def id_prefix(self) -> str:
        """The prefix of the ids of its responses."""

    @property
    def capabilities(self) -> frozenset[str]:
        """What its events can express: ``refusals`` (else sent as text), ``codes`` of errors."""

    @property
    def unsupported(self) -> Mapping[str, str]:
        """What scripts may need (``mockserver.scenario.needs``) but it cannot express, and why."""

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The variations of its events; they do not change what an adapter should emit."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The real upstreams of this dialect, each as a set of variations."""

    @property
    def generations(self) -> tuple[str, ...]:
        """The versions of its event vocabulary, the default first; empty if there is only one."""

    @property
    def response_headers(self) -> Mapping[str, str]:
        """HTTP headers of its streams, besides those of every event stream."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of the same events between which a request can choose; the default first."""

    def apply_form(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        """The steps in one of the forms; the events keep their order."""

    def is_terminal(self, type_: str, data: Any) -> bool:
        """Whether the event says how the response ended, so that ``closing`` is sent after it."""

    def is_last(self, type_: str) -> bool:
        """Whether clients ignore everything after an event of this type."""

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        """The mistakes in a script, such as event types that the dialect does not have."""

    def of_format_1(self, send: Send) -> Send:
        """An event of a format 1 file, with nulls that remove a field converted to ``absent``."""

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:
        """The script as complete events of this dialect; ``turn`` counts from 0."""

    def non_streaming_answer(self, steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:
        """The answer for requests that do not ask for a stream, in one of the forms.

        None if the stream never says how the response ended.
        """

    @property
    def request_headers(self) -> tuple[str, ...]:
        """The names, in lower case, of the request headers that it reads."""

    def inbound(self, body: Any, headers: Mapping[str, str], path: str = "") -> Inbound:
        """Parse and check a request with this JSON body; ``headers`` have names in lower case.

        ``path`` is the requested operation, if it is one with a placeholder for the model.
        """

    def sample(self) -> Values:
        """Example slot values, for showing events without a request."""

    def refusal(
        self, status: int, message: str, *, param: str | None = None
    ) -> dict[str, Any] | str:
        """The body of an HTTP error in the dialect's shape: JSON, or plain text.

        ``param`` names the offending field of the request.
        """
