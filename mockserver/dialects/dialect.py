"""``Dialect``: a wire format as a value, and what it makes of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from mockserver.conversation import Entry
from mockserver.dialects.completion import Completion, as_written, by_type
from mockserver.dialects.doubt import Doubt
from mockserver.dialects.error_shapes import ErrorShape
from mockserver.dialects.profile import Profile
from mockserver.faults import Problem
from mockserver.scenario.script import Says, Send, Sends
from mockserver.wire.event import Step
from mockserver.wire.slots import Values, values
from mockserver.wire.variation import Variation


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as its dialect reads it: its problems, and what the answer depends on.

    ``stream`` is whether a stream is requested. ``echo`` has the values of the answer that repeat
    fields of the request. ``tools`` are the callable tools as (name, schema of the input), or None
    if requests of the dialect cannot have any, and ``hosted`` the tools that are no functions, as
    the request has them, or None if they are not read. ``previous`` is the id of the response that
    the conversation continues, if the upstream stores it, and ``stores`` whether it stores this
    one. ``call_required`` is whether the answer has to call a tool, whichever it is.
    ``answer_schema`` is the JSON Schema of the answer's text, or None if it may be any text.
    ``form`` is one of the dialect's forms of a stream, and ``limit`` the maximum number of output
    tokens. ``response_id`` is the id of the answer if the request determines it; otherwise, the
    answer gets a new id.
    """

    problems: tuple[str, ...]
    stream: bool
    model: str
    echo: Mapping[str, Any] = field(default_factory=dict)
    conversation: tuple[Entry, ...] = ()
    tools: tuple[tuple[str, Any], ...] | None = ()
    hosted: tuple[Mapping[str, Any], ...] | None = None
    previous: str = ""
    stores: bool = True
    call_required: bool = False
    answer_schema: Any = None
    form: str = ""
    limit: int | None = None
    response_id: str = ""


ANY_OBJECT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
}
"""The schema for a request that asks for JSON without a schema."""


@dataclass(frozen=True, slots=True)
class NonStreamingAnswer:
    """The HTTP status and JSON body for a request that does not ask for a stream."""

    status: int
    body: dict[str, Any]


LookUp = Callable[[Sequence[str], Mapping[str, str]], dict[str, Any] | None]
"""Makes the JSON answer to a look-up from the ids of all models and the request's headers.

None is answered with 204, without a body.
"""


Script = Says | Sends

Read = Callable[[Any, Mapping[str, str]], Inbound]
"""Reads a request from its JSON body and its headers, whose names are in lower case."""


def no_problems(_script: Script, _conduct: str, _types: Set[str]) -> list[Problem]:
    """Default of ``check``, for a dialect whose scripts cannot be wrong."""
    return []


def no_doubts(_script: Sends, _sent: Sequence[Step]) -> Iterable[Doubt]:
    """Default of ``doubts``, for a dialect that fills in nothing."""
    return ()


UNPADDED = "unpadded"
"""The form of a stream for a request with ``stream_options.include_obfuscation: false``."""


def one_form(steps: Sequence[Step], _form: str) -> Sequence[Step]:
    """Default of ``apply_form``, for a dialect with one form."""
    return steps


def as_added(_before: Sequence[Step], added: Sequence[Step]) -> Sequence[Step]:
    """Default of ``resumed``, for a dialect whose events do not depend on those before them."""
    return added


def no_answer(_steps: Sequence[Step], _form: str) -> NonStreamingAnswer | None:
    """Default of ``non_streaming_answer``, for a dialect that only streams."""
    return None


@dataclass(frozen=True, slots=True)
class Dialect:
    """A wire format of streams of model output, with its requests and errors.

    Every dialect has:

    - ``name``, in case ids and scenario files, such as ``openresponses``.
    - ``operations`` are the paths of its requests below the base URL, such as ``responses``; the
      default first. ``{model}`` stands for a model's id, as in ``models/{model}:generate``.
    - ``id_prefix`` is the prefix of the ids of its responses.
    - ``steps`` renders a script as complete events; turns are counted from 0.
    - ``is_terminal`` says of an event's type and data whether it says how the response ended, so
      that ``closing`` is sent after it.
    - ``is_last`` says whether clients ignore everything after an event of this type.
    - ``inbound`` parses and checks a request. A model in the path replaces the model that it finds.
    - ``refusal`` is the body of an HTTP error, JSON or plain text, from the status, the message,
      and the offending field of the request if there is one.

    What a dialect may have besides:

    - ``unsupported`` are the needs of scripts (``mockserver.scenario.needs``) that it cannot
      express, and why.
    - ``capabilities`` are what its events can express: ``refusals`` (else sent as text), ``codes``
      of errors.
    - ``says_call_complete`` is whether an event says that a call is complete before the response
      ends.
    - ``names_events`` is whether each event has an ``event:`` line with its type.
    - ``closing`` is the data that ends a stream after its terminal event, such as ``[DONE]``.
    - ``check`` lists the mistakes in a script of a conduct, such as event types that the dialect
      does not have. Its third argument has the types of the scenario's profile.
    - ``doubts`` are the fields of a script that are sent otherwise than was probably meant. Its
      second argument has what is sent for each step.
    - ``variations`` of its events do not change what an adapter should emit.
    - ``departures`` are the variations of lines and of HTTP whose streams depart from its
      specification, though not from that of every dialect.
    - ``profiles`` are the real upstreams of this dialect, each as a set of variations.
    - ``errors`` are the shapes of a failure in a stream, by name, and ``resumed`` are events that
      are added after others, with what depends on these.
    - ``generations`` are the versions of its event vocabulary, the default first; empty if there
      is only one.
    - ``forms`` are the forms of the same events between which a request can choose, the default
      first; ``apply_form`` converts steps to one of them, in their order, and leaves out what
      it cannot say.
    - ``non_streaming_answer`` is the answer in one of the forms for requests that do not ask for a
      stream; None if the stream never says how the response ended.
    - ``request_headers`` are the names, in lower case, of the request headers that it reads.
    - ``response_headers`` are HTTP headers of its streams, besides those of every event stream.
    - ``lookups`` answer its clients' GET requests besides ``models``, by path; ``{id}`` stands for
      an id in the path, which the answer does not depend on.
    - ``completion`` completes the events of a script's ``sends`` one by one; it depends on the turn
      and the generation.
    - ``written`` are the ways in which a script can write an event of this type and data, the
      shortest first; what their completion lacks is added to them.
    - ``shared_fields`` are the fields of an event which all events of a stream may have in common,
      beside what a script names them after; None for an event that has none of these. A dialect
      without it has no such events.
    - ``echoes`` are the values of slots that repeat the request, for showing events without one.
    """

    name: str
    operations: tuple[str, ...]
    id_prefix: str
    steps: Callable[[Script, int], tuple[Step, ...]]
    is_terminal: Callable[[str, Any], bool]
    is_last: Callable[[str], bool]
    inbound: Read
    refusal: Callable[[int, str, str | None], dict[str, Any] | str]
    unsupported: Mapping[str, str] = field(default_factory=dict)
    capabilities: frozenset[str] = frozenset()
    says_call_complete: bool = True
    names_events: bool = False
    closing: str = ""
    check: Callable[[Script, str, Set[str]], list[Problem]] = no_problems
    doubts: Callable[[Sends, Sequence[Step]], Iterable[Doubt]] = no_doubts
    variations: tuple[Variation, ...] = ()
    departures: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    errors: Mapping[str, ErrorShape] = field(default_factory=dict)
    resumed: Callable[[Sequence[Step], Sequence[Step]], Sequence[Step]] = as_added
    generations: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("",)
    apply_form: Callable[[Sequence[Step], str], Sequence[Step]] = one_form
    non_streaming_answer: Callable[[Sequence[Step], str], NonStreamingAnswer | None] = no_answer
    request_headers: tuple[str, ...] = ()
    response_headers: Mapping[str, str] = field(default_factory=dict)
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    completion: Callable[[int, str], Completion] = as_written
    written: Callable[[str, Mapping[str, Any]], Sequence[Send]] = by_type
    shared_fields: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] | None = None
    echoes: Mapping[str, Any] = field(default_factory=dict)

    def sample(self) -> Values:
        """Example slot values, for showing events without a request."""
        id_ = f"{self.id_prefix}1"
        common = {"created_at": 0, "model": "mock", "timestamp": _EPOCH, "origin": _ORIGIN}
        return values(id=id_, **common, **self.echoes)


_EPOCH = "1970-01-01T00:00:00.000Z"
_ORIGIN = "http://127.0.0.1:4100"


def read_headers(dialect: Dialect, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request that its dialect reads, with their names in lower case."""
    if not (wanted := dialect.request_headers):
        return {}
    return {low: value for name, value in headers.items() if (low := name.lower()) in wanted}
