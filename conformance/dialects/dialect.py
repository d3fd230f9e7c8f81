"""What the kit needs to know of a dialect: how its events are read, recognised and shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, Literal, Protocol

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects.entry import Entry, OnTheWire
from conformance.dialects.profile_exception import Undo
from conformance.dialects.sent_items import SentItems
from conformance.dialects.short_text import compact
from conformance.dialects.wire import Streamed
from conformance.findings.finding import Kind, Rule
from mockserver.scenario.script import Send

Json = Mapping[str, Any]

Ending = Literal["", "completed", "incomplete", "failed", "other"]
"""How the response ends by the word of one event; empty if the event does not say it.

``other`` is an ending that the specification does not know.
"""

Tool = dict[str, Any]
"""A tool offered to the model, in the format of the ``run`` message of drive/1."""

Sent = tuple[SentEvent, Json]
"""An event and the part that a client reads from it."""

Usage = Json
"""Token counts under ``input`` and ``output``; a count that the upstream leaves out is missing."""


class Reader(Protocol):
    """Reads the events of one stream in order; ``[DONE]``, comments and raw writes are left out."""

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds to the answer, or why it adds nothing."""

    def block(self, data: Json) -> str:
        """The text to which an event belongs; empty if an answer has only one."""


def as_json(type_: str, data: Json) -> str:
    """Default of ``summary``: the type and the data of an event."""
    return f"{type_} {compact(data)}"


def _nothing(*_given: Any) -> Iterator[Any]:
    yield from ()


def _no_text(*_given: Any) -> str:
    return ""


def _no_other_order(_evidence: Any) -> None:
    """Default of ``in_order``, for events without sequence numbers."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What documents say about a dialect.

    ``folder`` is the package with its tables (``conformance.dialects.tables``); ``request`` is the
    clause that says what a request is.
    """

    folder: str
    request: str


@dataclass(frozen=True, slots=True)
class Recognition:
    """How a recording is known to be of the dialect, and split into responses.

    - ``recognises`` says whether the data of an event belongs to this dialect.
    - ``kind`` is the type of an event whose data has none; empty if it is not of this dialect.
    - ``begins`` is the id of the response that an event begins; empty if it begins none.
    - ``document`` is the ``object`` of an answer that is one JSON document and no stream; empty if
      there are no such answers.
    """

    recognises: Callable[[Json], bool]
    kind: Callable[[Any], str] = _no_text
    begins: Callable[[Json], str] = _no_text
    document: str = ""


@dataclass(frozen=True, slots=True)
class Legality:
    """How the stream of an upstream is judged.

    - ``rules`` are checked in this order on the ``evidence``, which is made of the events and
      their framing.
    - ``in_order`` sorts the evidence by the sequence numbers of the events; None if they are in
      order or there are none.
    - ``undo`` has the functions that undo the known deviations of upstreams from the specification,
      by the id of the exception in the table ``exceptions``.
    - ``contradictions`` are the kinds of findings about an event that has no open item to belong
      to, or that contradicts one before it.
    """

    rules: Sequence[Rule[Any]]
    evidence: Callable[[Sequence[SentEvent], Framing | None], Any] = Streamed
    in_order: Callable[[Any], Any] = _no_other_order
    undo: Mapping[str, Undo] = field(default_factory=dict)
    contradictions: tuple[type[Kind], ...] = ()


@dataclass(frozen=True, slots=True)
class Usages:
    """Where the token counts are: in the data of one event, or added up from several steps.

    ``of_steps`` is empty if an event of the answer has the sum.
    """

    of_event: Callable[[Json], Iterator[Usage]]
    of_steps: Callable[[Sequence[SentEvent]], Iterable[Usage]] = _nothing


@dataclass(frozen=True, slots=True)
class Endings:
    """Which events say how a response ends.

    - ``of_event`` is the ending by the word of an event; ``name`` names such events in messages.
    - ``reasons`` are the reasons to finish in an event, under the names of the AI SDK.
    - ``reason_optional`` says whether a response may complete without a reason.
    """

    of_event: Callable[[str, Json], Ending]
    name: str
    reasons: Callable[[str, Json], Iterable[str]] = _nothing
    reason_optional: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a dialect whose answers consist of them.

    - ``sent`` are the tools, messages and reasoning in the events of one response.
    - ``call_ids`` maps the ids of items that are calls to the ids of the calls.
    - ``unusual_ids`` are the ids of the events' items, by the events' numbers, where they matter.
    """

    sent: Callable[[Sequence[SentEvent]], SentItems]
    call_ids: Callable[[Iterable[SentEvent]], Mapping[str, str]]
    unusual_ids: Callable[[Sequence[SentEvent]], Mapping[int, str]]


@dataclass(frozen=True, slots=True)
class Choices:
    """The calls of a dialect with several choices, in which no event says that a call is complete.

    - ``arguments`` are those of each call so far, by the call's id.
    - ``calls`` are the names and arguments, by the index of the choice and the id of the call.
    """

    arguments: Callable[[Sequence[OnTheWire]], Mapping[str, str]]
    calls: Callable[[Sequence[OnTheWire]], Mapping[tuple[int, str], tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Client:
    """The kit's client of a dialect, with which it drives adapters that are servers.

    ``factory`` names the function that creates the client, an adapter in Python;
    ``vocabulary`` is that of its parts.
    """

    vocabulary: str
    factory: str

    def make(self) -> Any:
        """Create the client. Its modules are imported when it is needed."""
        return resolve_name(self.factory)()


@dataclass(frozen=True, slots=True)
class KitDialect:
    """The kit's part of a dialect; the mock's part is the ``Dialect`` of the same name.

    - ``name`` is that of the mock's part.
    - ``documents``: the package with its tables, and the clause about requests.
    - ``reader`` creates a reader of its ledger.
    - ``recognition``: how a recording of it is known.
    - ``legality``: the rules for its streams.
    - ``usages``: where token counts are.
    - ``endings``: which events say how a response ends.
    - ``summary`` describes the data of an event on one line, with its type.

    What follows is only in some dialects:

    - ``tools`` are the tools that one step of a scenario's ``sends`` calls.
    - ``encrypted`` yields the encrypted reasoning of an answer, in order.
    - ``provider_parts`` yields the stream parts of a provider in an answer, with the numbers of
      their events, as a client that sends these headers reads them.
    - ``items``: the tools, messages and reasoning in an answer that consists of items.
    - ``choices``: the calls of answers with several choices.
    - ``client`` reads servers that serve the dialect.
    """

    name: str
    documents: Documents
    reader: Callable[[], Reader]
    recognition: Recognition
    legality: Legality
    usages: Usages
    endings: Endings
    summary: Callable[[str, Json], str] = as_json
    tools: Callable[[Send], Iterator[Tool]] = _nothing
    encrypted: Callable[[Sequence[SentEvent]], Iterator[str]] = _nothing
    provider_parts: Callable[[Sequence[SentEvent], Mapping[str, str]], Iterator[Sent]] = _nothing
    items: Items | None = None
    choices: Choices | None = None
    client: Client | None = None
