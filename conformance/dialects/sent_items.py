"""The items of a response that stream parts are about, as they stand in the events that were sent.

They are read from the wire and not from the script, so that ids which the dialect makes, steps of
`sends`, variations and cut-off streams are all judged in the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Given:
    """What a tool gave: its value as sent, and the texts of it that a result must have.

    What is no text, such as the exit code of a command, is among them as JSON. ``named`` are all
    texts that were sent with it, of which a result may be made.
    """

    value: Any
    texts: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SentTool:
    """A call of one of the upstream's own tools, or its request for the approval of one.

    - ``tool`` is the kind of the tool, ``name`` the tool that it calls if it has several.
    - ``ids`` are the ids that parts may have: of the item and of the call.
    - ``by_host`` says whether the host runs it.
    - ``finished`` says whether the item was finished, ``event`` by which event.
    - ``texts`` are the texts of its input, ``arguments`` its input if that is JSON.
    - ``deltas`` is the number of deltas in which the text of its input came.
    - ``given`` is what the tool gave; None if the response has no result of it.
    - ``failed`` says whether the tool failed, ``error`` how, if the item says it.
    - ``previews`` are partial results, in order.
    - ``approval`` is the id of the request that asked for its approval.
    - ``asks`` is the id of this request for approval; empty if it is a call.
    - ``items`` are the indexes in the output, or the ids, of its item and of that of its result.
    """

    tool: str
    ids: frozenset[str]
    name: str = ""
    by_host: bool = False
    finished: bool = False
    event: int | None = None
    texts: tuple[str, ...] = ()
    arguments: Any = None
    deltas: int = 0
    given: Given | None = None
    failed: bool = False
    error: tuple[str, ...] = ()
    previews: tuple[str, ...] = ()
    approval: str = ""
    asks: str = ""
    items: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentArguments:
    """The arguments of a function as they streamed: the ids of the call, and each delta."""

    ids: frozenset[str]
    deltas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message: its id, whether it was finished, and its annotations as sent, in order.

    ``later`` are annotations that are only in a finished part, the finished item or the response.
    """

    id: str
    finished: bool
    annotations: tuple[Mapping[str, Any], ...] = ()
    later: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class SentReasoning:
    """A reasoning item.

    ``ended`` has the event that ended each part of its summary, ``finished`` the one that finished
    the item. ``announced`` is the encrypted content that the item began with, ``encrypted`` the one
    that it was finished with.
    """

    ids: frozenset[str]
    ended: Mapping[int, int] = field(default_factory=dict)
    finished: int | None = None
    announced: str = ""
    encrypted: str = ""


@dataclass(frozen=True, slots=True)
class SentCompaction:
    """The conversation in encrypted form, which the next request has in place of its items."""

    id: str
    encrypted: str
    event: int


@dataclass(frozen=True, slots=True)
class SentItems:
    """The tools, messages, reasoning and compactions of one response, each in order.

    ``arguments`` are those of functions. ``response_ids`` are the ids of the response, of which
    some upstreams have several.
    """

    tools: tuple[SentTool, ...] = ()
    messages: tuple[SentMessage, ...] = ()
    reasoning: tuple[SentReasoning, ...] = ()
    compactions: tuple[SentCompaction, ...] = ()
    arguments: tuple[SentArguments, ...] = ()
    response_ids: frozenset[str] = frozenset()
