"""What the machine remembers of a response: items, the texts that left, calls on their way."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event, string
from conformance.dialects.openresponses.reference.attachments import Cited
from mockserver.call_arguments import is_blank


@dataclass(slots=True)
class Said:
    """What has left of one text: each character leaves once."""

    pieces: list[str] = field(default_factory=list)
    half: str = ""  # a surrogate that waits for its other half
    closed: bool = False  # the whole text was heard, so later deltas are repetitions
    repeats: str = ""  # of the words that its part began with: what deltas may say again

    def text(self) -> str:
        return "".join(self.pieces)

    def begin(self, head: str) -> str:
        """What may leave of the words that a part begins with."""
        if self.text() or self.closed:
            return ""
        self.repeats = head
        return self.add(head)

    def grow(self, delta: str) -> str:
        """What may leave of a delta: it goes on from the beginning, or says it again first."""
        waits = self.repeats
        again = delta if waits.startswith(delta) else waits if delta.startswith(waits) else ""
        self.repeats = waits[len(again) :] if again or not delta else ""
        return self.add(delta[len(again) :])

    def add(self, delta: str) -> str:
        """What may leave now that these characters came."""
        text = paired(self.half + delta)
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = text.removesuffix(self.half)
        self.pieces.append(text)
        return text

    def complete(self, whole: str) -> str:
        """What the whole text has beyond what left; nothing where the two contradict."""
        said = self.text()
        self.closed = True
        self.half = ""
        return self.add(whole[len(said) :]) if whole.startswith(said) else ""


@dataclass(slots=True)
class Call:
    """A function call on its way."""

    call_id: str = ""
    name: str = ""
    deltas: list[str] = field(default_factory=list)
    from_done: object = None
    from_item: object = None
    complete_by: str = ""  # the event that said so: "arguments" or "item"
    emitted: bool = False

    def arguments(self) -> object:
        """The first that are not blank: those of the finished item, of `.done`, of the deltas."""
        told = (self.from_item, self.from_done, paired("".join(self.deltas)))
        return next((value for value in told if not blank(value)), "")


@dataclass(slots=True)
class Item:
    """One output item, as far as it was heard of; `id` is the first one that it was given."""

    id: str = ""
    type: str = ""
    done: bool = False
    by_id: bool = False  # its output_index is unknown, or that of another item, too
    said: dict[tuple[str, int], Said] = field(default_factory=lambda: defaultdict(Said))
    spelling: str = ""  # the reasoning deltas that are heard; others mirror them
    call: Call | None = None
    cited: dict[int, Cited] = field(default_factory=lambda: defaultdict(Cited))
    shown: bool = False  # the image that it is has left
    sealed: bool = False  # its encrypted reasoning has left

    def is_other(self, announced: Event) -> bool:
        """Whether what is announced in this item's place is another item."""
        known, call_id = self.call.call_id if self.call else "", string(announced, "call_id")
        follows = self.done and string(announced, "id") != self.id
        return follows or bool(call_id and known and call_id != known)


def paired(text: str) -> str:
    """Joins surrogates that came in two deltas to the one character that they are."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def blank(arguments: object) -> bool:
    """Whether nothing was said yet: no value, no text, or white space only."""
    return arguments is None or (isinstance(arguments, str) and is_blank(arguments))
