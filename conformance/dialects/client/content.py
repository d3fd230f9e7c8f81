"""Content on its way into parts: streamed text, and the parts of the vocabulary `vscode`.

Text comes in deltas, which may cut a character in two halves, and again as a whole; each character
is emitted once. Reasoning and citations become the parts that the traits `reasoning` and
`annotations` ask for.
"""

import json
import re
from base64 import b64encode
from codecs import utf_16_le_decode, utf_16_le_encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from conformance.dialects.client.fields import Part
from mockserver.foundation.call_arguments import is_blank

_HALVES = "surrogatepass"
"""How halves of characters are read and written."""


@dataclass(slots=True)
class EmittedText:
    """The part of one text that was emitted; each character is emitted once."""

    pieces: list[str] = field(default_factory=list)
    held: bytes = b""  # a high surrogate, until the low one comes
    closed: bool = False  # the full text was received, so later deltas are repetitions
    head: str | None = None  # the initial text of the part, which the first delta may repeat

    def text(self) -> str:
        return "".join(self.pieces)

    def begin(self, head: str) -> str:
        """What to emit of the text with which a part was added."""
        self.head = head
        return self.add(head)

    def grow(self, delta: str) -> str:
        """What to emit of a delta, which continues the initial text or repeats it first."""
        repeated, self.head = delta == self.head, None
        return "" if repeated else self.add(delta)

    def add(self, delta: str) -> str:
        """Add characters; returns them without a trailing high surrogate, which is held back."""
        text, read = utf_16_le_decode(units := self.held + _units(delta), _HALVES)
        self.held = units[read:]
        self.pieces.append(text)
        return text

    def complete(self, full: str) -> str:
        """What to emit of the full text: the rest; nothing if it contradicts what was emitted."""
        emitted = self.text()
        self.closed = True
        self.held = b""
        return self.add(full[len(emitted) :]) if full.startswith(emitted) else ""


def _units(text: str) -> bytes:
    return utf_16_le_encode(text, _HALVES)[0]


def join_surrogates(text: str) -> str:
    """The text with surrogates from two deltas joined to one character."""
    return utf_16_le_decode(_units(text), _HALVES)[0]


def blank(arguments: object) -> bool:
    """Whether arguments are missing, empty or only white space."""
    return arguments is None or (isinstance(arguments, str) and is_blank(arguments))


THINKING_PREFIX = "[Thinking] "
"""What each text part of reasoning begins with, for hosts without thinking parts."""


def text_parts(value: str) -> list[Part]:
    """A text part; none for an empty text."""
    return [{"type": "text", "value": value}] if value else []


REASONING_AS_TEXT: Mapping[object, Callable[[str], list[Part]]] = {
    "prefixed": lambda value: text_parts(value and THINKING_PREFIX + value),
    "text": text_parts,
    "hidden": lambda _: [],
}
"""By the value of the trait `reasoning`, for hosts that are not given thinking parts."""


def reasoning_parts(
    route: object, value: str, block: str | None = None, metadata: object = None
) -> list[Part]:
    """A piece of reasoning as the trait asks: a thinking part, text, prefixed text, or nothing.

    Not all hosts know thinking parts (stream-mapping § Version Compatibility). Only these have a
    block and metadata, and may have no text.
    """
    if as_text := REASONING_AS_TEXT.get(route):
        return as_text(value)
    part = {"type": "thinking", "value": value, "id": block, "metadata": metadata}
    kept = {name: each for name, each in part.items() if each or name == "value"}
    return [kept] if value or metadata else []


def call_part(id_: str, name: str, input_: Mapping[str, object]) -> Part:
    return {"type": "toolCall", "callId": id_, "name": name, "input": input_}


def data_part(mime_type: str, data: bytes) -> Part:
    return {"type": "data", "mimeType": mime_type, "data": b64encode(data).decode()}


Source = dict[str, str]
"""What a citation refers to: some of url, title, file_id, container_id, filename and others."""

CITATION = "application/vnd.vscode.citation+json"

_IN_TITLES = {ord(each): f"\\{each}" for each in "\\`[]<>"}
_IN_URLS = re.compile(r"[\s()<>\\]")


def link(source: Source) -> list[Part]:
    """A source as a Markdown link in a text part (rfc-00022 § Gap 2); empty without a URL.

    Title and URL are written by the author of the page, so what Markdown would read in them is
    escaped, and a URL that is not one of the web is not linked.
    """
    url = source.get("url", "")
    title = (source.get("title") or url).translate(_IN_TITLES)
    target = _IN_URLS.sub(lambda found: quote(found[0]), url)
    of_the_web = url.lower().startswith("http")
    value = f" [{title}]({target})" if of_the_web else f" {title}"
    return text_parts(value) if url else []


def citation(source: Source) -> list[Part]:
    """A source as a data part (stream-mapping § Priority 2)."""
    return [data_part(CITATION, json.dumps({"type": "citation", **source}).encode())]


CITATION_PARTS: Mapping[object, Callable[[Source], list[Part]]] = {
    "link": link,
    "data": citation,
    "hidden": lambda _: [],
}
"""By the value of the trait `annotations`."""
