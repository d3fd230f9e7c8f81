"""The state of one response in the machine: its items, the text emitted so far, its calls."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event, string
from conformance.dialects.openresponses.reference.attachments import EmittedCitations
from mockserver.foundation.call_arguments import is_blank


@dataclass(slots=True)
class EmittedText:
    """The part of one text that was emitted; each character is emitted once."""

    pieces: list[str] = field(default_factory=list)
    surrogate: str = ""  # a high surrogate, until the low one comes
    closed: bool = False  # the full text was received, so later deltas are repetitions
    prefix_left: str = ""  # the rest of the initial text of the part, which deltas may repeat

    def text(self) -> str:
        return "".join(self.pieces)

    def begin(self, head: str) -> str:
        """What to emit of the text with which a part was added."""
        if self.text() or self.closed:
            return ""
        self.prefix_left = head
        return self.add(head)

    def grow(self, delta: str) -> str:
        """What to emit of a delta, which continues the initial text or repeats it first."""
        prefix = self.prefix_left
        repeated = delta if prefix.startswith(delta) else prefix if delta.startswith(prefix) else ""
        self.prefix_left = prefix[len(repeated) :] if repeated or not delta else ""
        return self.add(delta[len(repeated) :])

    def add(self, delta: str) -> str:
        """Add characters; returns them without a trailing high surrogate, which is held back."""
        text = join_surrogates(self.surrogate + delta)
        self.surrogate = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = text.removesuffix(self.surrogate)
        self.pieces.append(text)
        return text

    def complete(self, full: str) -> str:
        """What to emit of the full text: the rest; nothing if it contradicts what was emitted."""
        emitted = self.text()
        self.closed = True
        self.surrogate = ""
        return self.add(full[len(emitted) :]) if full.startswith(emitted) else ""


@dataclass(slots=True)
class Call:
    """A function call whose fields are collected from several events."""

    call_id: str = ""
    name: str = ""
    deltas: list[str] = field(default_factory=list)
    from_done: object = None
    from_item: object = None
    complete_by: str = ""  # the last event that completed it: "arguments" or "item"
    emitted: bool = False

    def arguments(self) -> object:
        """The first that are not blank: those of the finished item, of `.done`, of the deltas."""
        versions = (self.from_item, self.from_done, join_surrogates("".join(self.deltas)))
        return next((value for value in versions if not blank(value)), "")


@dataclass(slots=True)
class Item:
    """One output item, as far as events have described it; `id` is its first id."""

    id: str = ""
    type: str = ""
    done: bool = False
    by_id: bool = False  # found by id only: its index is unknown, or used by another item too
    texts: dict[tuple[str, int], EmittedText] = field(
        default_factory=lambda: defaultdict(EmittedText)
    )
    reasoning_stem: str = ""  # the type of reasoning deltas that is used; others repeat them
    call: Call | None = None
    citations: dict[int, EmittedCitations] = field(
        default_factory=lambda: defaultdict(EmittedCitations)
    )
    image_emitted: bool = False
    encrypted_emitted: bool = False

    def is_other(self, announced: Event) -> bool:
        """Whether an item that is added at this item's index is another one."""
        known, call_id = self.call.call_id if self.call else "", string(announced, "call_id")
        follows = self.done and string(announced, "id") != self.id
        return follows or bool(call_id and known and call_id != known)


def join_surrogates(text: str) -> str:
    """The text with surrogates from two deltas joined to one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def blank(arguments: object) -> bool:
    """Whether arguments are missing, empty or only white space."""
    return arguments is None or (isinstance(arguments, str) and is_blank(arguments))
