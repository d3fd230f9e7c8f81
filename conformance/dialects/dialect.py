"""What the kit needs to know of a dialect: how its events are read, recognised and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from conformance.contract.transcript import SentEvent
from conformance.dialects.sent_items import SentItems
from conformance.dialects.short_text import compact
from conformance.dialects.wire import Streamed

if TYPE_CHECKING:
    from conformance.contract.finding import Rule
    from conformance.contract.framing import Framing
    from conformance.dialects.custom import Custom
    from conformance.dialects.entry import Entry, OnTheWire
    from mockserver.scenario.script import Send

Ending = Literal["", "completed", "incomplete", "failed", "other"]
"""How the response ends by the word of one event; empty if the event does not say it.

``other`` is an ending that the specification does not know.
"""

Tool = dict[str, Any]
"""A tool offered to the model, in the format of the ``run`` message of drive/1."""

Sent = tuple[SentEvent, Mapping[str, Any]]
"""An event and the part that a client reads from it."""

Usage = Mapping[str, Any]
"""Token counts under ``input`` and ``output``; a count that the upstream leaves out is missing."""


class Reader(Protocol):
    """Reads the events of one stream in order; ``[DONE]``, comments and raw writes are left out."""

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds to the answer, or why it adds nothing."""


def no_beginning(_data: Mapping[str, Any]) -> str:
    """Default of ``begins``, for a dialect whose responses have no ids."""
    return ""


def one_block(_data: Mapping[str, Any]) -> str:
    """Default of ``block``, for a dialect whose answers have one text."""
    return ""


def as_json(type_: str, data: Mapping[str, Any]) -> str:
    """Default of ``summary``: the type and the data of an event."""
    return f"{type_} {compact(data)}"


def no_unusual_ids(_sent: Sequence[SentEvent]) -> Mapping[int, str]:
    """Default of ``unusual_ids``, for a dialect whose events have no ids of their own."""
    return {}


def nothing_encrypted(_sent: Sequence[SentEvent]) -> Iterator[str]:
    """Default of ``encrypted``, for a dialect without encrypted reasoning."""
    yield from ()


def no_ending(_type: str, _data: Mapping[str, Any]) -> Ending:
    """Default of ``ending``, for a dialect whose events do not say how the response ends."""
    return ""


def no_kind(_data: Any) -> str:
    """Default of ``kind``, for a dialect whose events all carry a type."""
    return ""


def no_tools(_step: Send) -> Iterator[Tool]:
    """Default of ``tools``, for a dialect whose scenario steps name no tools."""
    yield from ()


def no_steps(_answer: Sequence[SentEvent]) -> Sequence[Usage]:
    """Default of ``step_usages``, for a dialect in which a response has one step."""
    return ()


def no_items(_sent: Iterable[SentEvent]) -> dict[str, str]:
    """Default of ``item_ids``, for a dialect in which a call has one id."""
    return {}


def no_arguments(_sent: Sequence[OnTheWire]) -> Mapping[str, str]:
    """Default of ``arguments``, for a dialect whose events say when a call is complete."""
    return {}


def no_choices(_sent: Sequence[OnTheWire]) -> Mapping[tuple[int, str], tuple[str, str]]:
    """Default of ``calls_of_choices``: there is one answer."""
    return {}


def no_sent_items(_sent: Sequence[SentEvent]) -> SentItems:
    """Default of ``sent_items``, for a dialect without items."""
    return SentItems()


def no_provider_parts(_answer: Sequence[SentEvent], _headers: Mapping[str, str]) -> Iterator[Sent]:
    """Default of ``provider_parts``, for a dialect whose events are no parts of a provider."""
    yield from ()


def no_other_order(_evidence: Any) -> None:
    """Default of ``in_order``, for a dialect whose events carry no sequence numbers."""


@dataclass(frozen=True, slots=True)
class Client:
    """The kit's client of a dialect, with which it drives adapters that are servers.

    ``make`` creates the client, an adapter in Python; ``vocabulary`` is that of its parts.
    """

    vocabulary: str
    make: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class KitDialect:
    """The kit's part of a dialect; the mock's part is the ``Dialect`` of the same name.

    - ``reader`` creates a reader of its ledger.
    - ``legality`` is the table of its legality rules; ``evidence`` parses a stream for them.
    - ``in_order`` sorts the evidence by the sequence numbers of the events; None if they are in
      order or there are none.
    - ``customs`` are the known departures of its upstreams from the specification, by profile.
    - ``recognises`` says whether the data of an event belongs to this dialect.
    - ``whole`` is the ``object`` of an answer that is one document and no stream; empty if it has
      no such answers.
    - ``kind`` is the type of an event whose data has none; empty if it is not of this dialect.
    - ``begins`` is the id of the response that an event begins; empty if it begins none.
    - ``block`` tells apart the texts of an answer: it is the same in the data of all events of one.
    - ``summary`` describes the data of an event on one line, with its type.
    - ``unusual_ids`` are the ids of the events' items, by the events' numbers, where they matter.
    - ``usages`` are the usages in the data of one event; ``step_usages`` is the sum of several
      steps, if no event has it.
    - ``encrypted`` yields the encrypted reasoning of an answer, in order.
    - ``tools`` are the tools that one step of a scenario's ``sends`` calls.
    - ``client`` reads servers that serve the dialect, where the kit has one.
    - ``item_ids`` maps the ids of items that are calls to the ids of the calls.
    - ``arguments`` are those of each call so far, by the call's id, if no event completes a call.
    - ``calls_of_choices`` are the names and arguments of calls, by the index of their choice and
      their id, where an answer has several choices.
    - ``sent_items`` are the tools, messages and reasoning in the events of one response.
    - ``provider_parts`` yields the stream parts of a provider in an answer, with the numbers of
      their events, as a client that sends these headers reads them.
    - ``reason_optional`` says whether a response may complete without a reason.
    - ``ending`` is how a response ends by the word of an event; ``endings`` names what says so, as
      words for messages.
    - ``request_source`` is the clause that says what a request is.
    """

    name: str
    reader: Callable[[], Reader]
    legality: Sequence[Rule[Any]]
    recognises: Callable[[Mapping[str, Any]], bool]
    usages: Callable[[Mapping[str, Any]], Iterator[Usage]]
    request_source: str
    evidence: Callable[[Sequence[SentEvent], Framing | None], Any] = Streamed
    begins: Callable[[Mapping[str, Any]], str] = no_beginning
    block: Callable[[Mapping[str, Any]], str] = one_block
    summary: Callable[[str, Mapping[str, Any]], str] = as_json
    unusual_ids: Callable[[Sequence[SentEvent]], Mapping[int, str]] = no_unusual_ids
    encrypted: Callable[[Sequence[SentEvent]], Iterator[str]] = nothing_encrypted
    customs: Mapping[str, tuple[Custom, ...]] = field(default_factory=dict)
    whole: str = ""
    kind: Callable[[Any], str] = no_kind
    step_usages: Callable[[Sequence[SentEvent]], Sequence[Usage]] = no_steps
    tools: Callable[[Send], Iterator[Tool]] = no_tools
    in_order: Callable[[Any], Any] = no_other_order
    client: Client | None = None
    item_ids: Callable[[Iterable[SentEvent]], dict[str, str]] = no_items
    arguments: Callable[[Sequence[OnTheWire]], Mapping[str, str]] = no_arguments
    calls_of_choices: Callable[[Sequence[OnTheWire]], Mapping[tuple[int, str], tuple[str, str]]] = (
        no_choices
    )
    sent_items: Callable[[Sequence[SentEvent]], SentItems] = no_sent_items
    provider_parts: Callable[[Sequence[SentEvent], Mapping[str, str]], Iterator[Sent]] = (
        no_provider_parts
    )
    reason_optional: bool = False
    ending: Callable[[str, Mapping[str, Any]], Ending] = no_ending
    endings: str = "an event that ends it"
