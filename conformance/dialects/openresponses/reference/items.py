"""What is known of the items of one response: their texts, calls and citations.

`CONTENTS` and `PARTS` are the kinds of text in a stream, and the events and parts that carry them.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.dialects.client.content import EmittedText, Source, blank, join_surrogates
from conformance.dialects.client.fields import Event, integer, objects, string

TEXT, REFUSAL, REASONING, SUMMARY = "text", "refusal", "reasoning", "summary"
REASONING_CHANNELS = frozenset({REASONING, SUMMARY})


class Content(NamedTuple):
    """The events of one kind of text.

    `stem` is their type without `.delta` or `.done`, `channel` the kind of text, `position` the
    field with the index of the part, and `full` the field with the full text.
    """

    stem: str
    channel: str
    position: str = "content_index"
    full: str = "text"


CONTENTS = (
    Content("response.output_text", TEXT),
    Content("response.refusal", REFUSAL, full="refusal"),
    Content("response.reasoning", REASONING),  # openresponses
    Content("response.reasoning_text", REASONING),  # openai
    Content("response.reasoning_summary_text", SUMMARY, "summary_index"),  # both
    Content("response.reasoning_summary", SUMMARY, "summary_index"),  # rfc-00022
)

PARTS = {  # the content parts of a message or a reasoning item: channel, field of the text
    "output_text": (TEXT, "text"),
    "refusal": (REFUSAL, "refusal"),
    "reasoning_text": (REASONING, "text"),
}

SOURCES = {  # the known types of annotations, and their fields that describe the source
    "url_citation": ("url", "title"),
    "file_citation": ("file_id", "filename"),
    "container_file_citation": ("container_id", "file_id", "filename"),
    "file_path": ("file_id",),
}


class Cited(NamedTuple):
    """A source, and the annotation that cites it."""

    source: Source
    annotation: Event


def sources(*annotations: object) -> list[Cited]:
    """The sources of annotations; unknown types, and fields that are null or empty, are skipped."""
    found = []
    for annotation in objects({"all": list(annotations)}, "all"):
        names = SOURCES.get(string(annotation, "type"), ())
        if source := {name: value for name in names if (value := string(annotation, name))}:
            found.append(Cited(source, annotation))
    return found


@dataclass(slots=True)
class Call:
    """A function call whose fields are collected from several events."""

    call_id: str = ""
    name: str = ""
    deltas: list[str] = field(default_factory=list)
    from_done: object = None
    from_item: object = None
    emitted: bool = False

    def arguments(self) -> object:
        """The first that are not blank: those of the finished item, of `.done`, of the deltas."""
        versions = (self.from_item, self.from_done, join_surrogates("".join(self.deltas)))
        return next((value for value in versions if not blank(value)), "")


@dataclass(slots=True)
class Item:
    """One output item, as far as events have described it; `id` is its first id.

    `cited` counts the emitted citations of each part, which have no ids.
    """

    id: str = ""
    type: str = ""
    done: bool = False
    texts: dict[tuple[str, int], EmittedText] = field(
        default_factory=lambda: defaultdict(EmittedText)
    )
    reasoning_stem: str = ""  # the type of reasoning deltas that is used; others repeat them
    call: Call | None = None
    cited: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    image_emitted: bool = False
    encrypted_emitted: bool = False

    def is_other(self, announced: Event) -> bool:
        """Whether an item that is added at this item's index is another one."""
        return self.done and string(announced, "id") != self.id


class Items:
    """The items of one response by index and by id, and which of them an event is about."""

    def __init__(self) -> None:
        self.by_index: defaultdict[int, Item] = defaultdict(Item)
        self.by_id: dict[str, Item] = {}
        self._latest = self.by_index[0]

    def find(self, data: Event, own_id: str | None = None) -> Item:
        """The item of an event: by output_index, else by id, else the latest item.

        The id is the `item_id` of the event, or `own_id` if the event has the item itself.
        """
        item_id = string(data, "item_id") if own_id is None else own_id
        index = integer(data, "output_index")
        known = self.by_id.get(item_id)
        if known is not None and index is None:
            item = known
        elif index is not None:
            item = self.by_index[index]
        else:
            item = Item() if item_id else self._latest
        return self._register(item, item_id)

    def announce(self, data: Event, source: Event) -> None:
        """Make room for an item that is added at the index of another one."""
        index = integer(data, "output_index")
        if source and index is not None and self.by_index[index].is_other(source):
            self.by_index[index] = Item()

    def find_final(self, position: int, source: Event) -> Item:
        """The item of the final output: by id, else by position, else by type.

        Ids may change, and a final output that leaves out items changes the positions of others.
        """
        item_id, kind = string(source, "id"), string(source, "type")
        if item_id in self.by_id:
            return self.by_id[item_id]
        here = self.by_index[position]
        if here.type not in ("", kind):
            here = next((item for item in self.by_index.values() if item.type == kind), Item())
        return self._register(here, item_id)

    def _register(self, item: Item, item_id: str) -> Item:
        if item_id:
            item.id = item.id or item_id
            self.by_id.setdefault(item_id, item)
        self._latest = item
        return item
