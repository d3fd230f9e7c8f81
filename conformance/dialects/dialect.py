"""What the kit asks of a dialect: how its events are read, recognised and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from conformance.contract.finding import Rule
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent
    from conformance.dialects.custom import Custom
    from conformance.dialects.entry import Entry, OnTheWire
    from mockserver.scenario.model import Send

Tool = dict[str, Any]
"""A tool that a run offers, as the ``run`` message of drive/1 has it."""

Usage = Mapping[str, Any]
"""Tokens by side, ``input`` and ``output``; a side that the upstream leaves out is missing."""


class Reader(Protocol):
    """Follows one stream from its first event to its last."""

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds to the answer, or why it is silent."""


def no_kind(_data: Any) -> str:
    """For a dialect whose events all have a type of their own."""
    return ""


def no_tools(_step: Send) -> Iterator[Tool]:
    """For a dialect whose steps use no tools by themselves."""
    yield from ()


def no_steps(_answer: Sequence[SentEvent]) -> Sequence[Usage]:
    """For a dialect in which a response has one step, and so one usage."""
    return ()


def no_items(_sent: Iterable[SentEvent]) -> dict[str, str]:
    """For a dialect in which a call has one id."""
    return {}


def no_other_order(_evidence: Any) -> None:
    """For a dialect whose events have no numbers."""


@dataclass(frozen=True, slots=True)
class Client:
    """What the kit asks a server with that serves the dialect itself.

    ``make`` makes a new adapter in Python, whose parts are of this ``vocabulary``.
    """

    vocabulary: str
    make: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class KitDialect:
    """The kit's side of a dialect; the mock's side is the ``Dialect`` of the same name.

    - ``reader`` makes a new reader of its ledger.
    - ``evidence`` makes of a stream what its legality rules look at; ``legality`` is their table.
    - ``in_order`` is the evidence of the events in the order of their own numbers, where that is
      another one.
    - ``customs`` are what its upstreams do outside of the specification, by profile.
    - ``recognises`` says whether the data of an event is one of this dialect's.
    - ``kind`` is the type of an event whose data has none; empty where it is not the dialect's.
    - ``begins`` is the id of the response that an event may begin; empty for any other event.
    - ``summary`` shows the data of an event in a few words, its type included.
    - ``usages`` are those in the data of one event; ``step_usages`` the sum of several steps where
      no event has it.
    - ``encrypted`` is the reasoning of an answer that only the upstream can read, in order.
    - ``tools`` are those that a step of ``sends`` uses.
    - ``client`` reads servers that serve the dialect, where the kit has one.
    - ``item_ids`` are the ids of items by which events name calls, each with its call's id.
    """

    name: str
    reader: Callable[[], Reader]
    evidence: Callable[[Sequence[SentEvent], Framing | None], Any]
    legality: Sequence[Rule[Any]]
    recognises: Callable[[Mapping[str, Any]], bool]
    begins: Callable[[Mapping[str, Any]], str]
    summary: Callable[[str, Mapping[str, Any]], str]
    usages: Callable[[Mapping[str, Any]], Iterator[Usage]]
    encrypted: Callable[[Sequence[SentEvent]], Iterator[str]]
    customs: Mapping[str, tuple[Custom, ...]] = field(default_factory=dict)
    kind: Callable[[Any], str] = no_kind
    step_usages: Callable[[Sequence[SentEvent]], Sequence[Usage]] = no_steps
    tools: Callable[[Send], Iterator[Tool]] = no_tools
    in_order: Callable[[Any], Any] = no_other_order
    client: Client | None = None
    item_ids: Callable[[Iterable[SentEvent]], dict[str, str]] = no_items
