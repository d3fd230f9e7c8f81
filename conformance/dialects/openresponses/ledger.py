"""The ledger of a Responses stream: credits each text and call to the first event that has it.

The same text is sent in the ``added`` event of its part, in deltas, in the ``done`` event, in the
finished item and in the final response. An event adds the characters that no earlier event had; the
rest is repetition. Items are identified by output index, or by id if events have no index.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from conformance.contract.citations import citation_from, link
from conformance.dialects.entry import BUFFERING, Entry, Fragment, OnTheWire, Piece
from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.openresponses.tool_ledger import ToolReader, is_of_tool, silence
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES, TERMINAL
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.scenario.script import Citation

_PARTS = {
    "output_text": ("text", "text"),
    "text": ("text", "text"),
    "refusal": ("refusal", "refusal"),
    "reasoning_text": ("reasoning", "text"),
    "summary_text": ("reasoning", "text"),
}

_SILENCE_REASONS = {
    "lifecycle": "lifecycle",
    "item": "tracking",
    "part": "tracking",
    "text": "nothing new",
    "refusal": "nothing new",
    "reasoning": "nothing new",
    "citation": "tracking",
    "arguments": BUFFERING,
    "error": "upstream failed",
}

_ENDINGS = {"response.failed": "upstream failed", "response.incomplete": "cut short"}


class Reader:
    """Reads the ledger entries of one stream."""

    def __init__(self) -> None:
        self._texts: defaultdict[tuple[Any, ...], str] = defaultdict(str)
        self._prefixes: dict[tuple[Any, ...], str] = {}
        self._reasoning_type: dict[Any, str] = {}
        self._calls: dict[Any, Mapping[str, Any]] = {}
        self._emitted: set[str] = set()
        self._announced_calls: set[str] = set()
        self._cited = _CitationReader()
        self._tools = ToolReader()
        self._ended = False

    def entry(self, event: OnTheWire) -> Entry:
        """What the next event adds; each event must be given once, in order."""
        data = mapping(event.data)
        if event.ignorable or event.type not in GROUPS or is_of_tool(data):
            tools = self._tools.read(event.type, data, _item_key(data))
            silent = silence(event.type, data, tools) or "unknown, to be ignored"
            image = _image(event.type, data)
            return Entry(event.n, image, silent, self._announce(data), tools)
        if self._ended and GROUPS[event.type] not in ("lifecycle", "error"):
            return Entry(event.n, silent="after the end")
        adds = () if self._ended else tuple(self._add(event.type, data))
        self._ended = self._ended or event.type in TERMINAL or event.type == "error"
        silent = "" if adds else self._silence_reason(event.type, data)
        announced, fragments = self._announce(data), self._fragments(event)
        return Entry(event.n, adds, silent, announced, (), fragments, _ended_items(event))

    def block(self, data: Mapping[str, Any]) -> str:
        """The item of an event, and the part of the item."""
        part = data.get("content_index", data.get("summary_index", 0))
        return f"{data.get('output_index')}/{part}"

    def _announce(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        """The id of the call in the event's item, if no earlier event had it."""
        call_id = text(mapping(data.get("item")).get("call_id"))
        new = call_id and call_id not in self._announced_calls
        self._announced_calls.add(call_id)
        return (call_id,) if new else ()

    def _fragments(self, event: OnTheWire) -> tuple[Fragment, ...]:
        if event.type != "response.function_call_arguments.delta":
            return ()
        data = mapping(event.data)
        call = self._calls.get(_item_key(data), {})
        return (Fragment(text(call.get("call_id")), text(data.get("delta"))),)

    def _add(self, type_: str, data: Mapping[str, Any]) -> Iterator[Piece]:
        yield from filter(None, self._read(type_, data))
        n = _integer(data, "content_index")
        for source in self._cited.read(type_, data, _item_key(data), n):
            yield Piece("citation", link(source), source)

    def _read(self, type_: str, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        role = ROLES.get(type_)
        if role and role.text:
            key = (_item_key(data), GROUPS[type_], role.index, _integer(data, role.index))
            said = text(data.get(role.text))
            if role.step == "delta":
                yield self._delta(key, type_, said)
            else:
                yield self._remainder(key, GROUPS[type_], said)
        elif reads := _HANDLERS.get(type_):
            yield from reads(self, data)

    # Texts

    def _delta(self, key: tuple[Any, ...], type_: str, delta: str) -> Piece | None:
        item, kind, *_ = key
        if kind == "reasoning" and self._reasoning_type.setdefault(item, type_) != type_:
            return None
        return self._append(key, kind, self._without_repetition(key, delta))

    def _without_repetition(self, key: tuple[Any, ...], delta: str) -> str:
        """A delta without what it repeats of the text that its part began with."""
        waits = self._prefixes.pop(key, "")
        repeated = delta if waits.startswith(delta) else waits if delta.startswith(waits) else ""
        if len(repeated) < len(waits) and (repeated or not delta):
            self._prefixes[key] = waits[len(repeated) :]
        return delta[len(repeated) :]

    def _append(self, key: tuple[Any, ...], kind: str, value: str) -> Piece | None:
        self._texts[key] += value
        return Piece(kind, value) if value else None

    def _remainder(self, key: tuple[Any, ...], kind: str, full: str) -> Piece | None:
        """What a full text has beyond the text so far; None if it contradicts that.

        A reasoning text may be repeated as a summary, or a summary as reasoning; it adds nothing.
        """
        so_far = self._texts[key]
        repeated = kind == "reasoning" and not so_far and full in self._reasoning_texts(key[0])
        if repeated or not full.startswith(so_far):
            return None
        return self._append(key, kind, full[len(so_far) :])

    def _reasoning_texts(self, item: Any) -> set[str]:
        return {said for key, said in self._texts.items() if key[:2] == (item, "reasoning")}

    # Parts and items

    def _part_added(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        if key := _part_key(data):
            kind, field = _PARTS[text(mapping(data.get("part")).get("type"))]
            head = text(mapping(data.get("part")).get(field))
            self._prefixes[key] = head
            yield self._append(key, kind, head)

    def _part_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        if key := _part_key(data):
            kind, field = _PARTS[text(mapping(data.get("part")).get("type"))]
            yield self._remainder(key, kind, text(mapping(data.get("part")).get(field)))

    def _item_added(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        item = mapping(data.get("item"))
        if item.get("type") == "function_call":
            self._calls[_item_key(data)] = item
        yield None

    def _item_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        yield from self._finished_item(_item_key(data), mapping(data.get("item")))

    def _finished_item(self, at: Any, item: Mapping[str, Any]) -> Iterator[Piece | None]:
        if item.get("type") == "function_call":
            yield self._completed_call(item)
        elif item.get("type") in ("message", "reasoning"):
            for position, parts in (("summary_index", "summary"), ("content_index", "content")):
                for n, part in enumerate(listed(item.get(parts))):
                    if kind := _PARTS.get(text(mapping(part).get("type"))):
                        key = (at, kind[0], position, n)
                        yield self._remainder(key, kind[0], text(mapping(part).get(kind[1])))

    def _final_response(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        for item in map(mapping, listed(mapping(data.get("response")).get("output"))):
            if item.get("type") == "function_call":
                yield self._completed_call(item)
            elif not self._all_texts_seen(item):
                yield from self._finished_item(("final", text(item.get("id"))), item)

    def _all_texts_seen(self, item: Mapping[str, Any]) -> bool:
        """Whether all texts of an item were seen before, under any id and index."""
        fields = ((part, _PARTS.get(text(part.get("type")))) for part in _parts(item))
        texts = [(kind[0], text(part.get(kind[1]))) for part, kind in fields if kind]
        return {(key[1], said) for key, said in self._texts.items()}.issuperset(texts)

    # Calls

    def _arguments_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        yield self._completed_call(self._calls.get(_item_key(data), {}))

    def _completed_call(self, item: Mapping[str, Any]) -> Piece | None:
        """The call of an item, if this event is the first to complete it."""
        call_id = text(item.get("call_id"))
        if not call_id or item.get("status") == "incomplete" or call_id in self._emitted:
            return None
        self._emitted.add(call_id)
        return Piece("call", call_id)

    def _silence_reason(self, type_: str, data: Mapping[str, Any]) -> str:
        item = mapping(data.get("item"))
        if item and text(item.get("type")) not in ITEM_TYPES:
            return "unknown, to be ignored"
        if type_ == "response.output_item.done" and item:
            if item.get("status") == "incomplete":
                return "cut short"
            return "nothing new" if text(item.get("call_id")) in self._emitted else "end of item"
        if type_ == "response.function_call_arguments.done" and _item_key(data) not in self._calls:
            return "no announced call yet"
        return _ENDINGS.get(type_) or _SILENCE_REASONS[GROUPS[type_]]


def _ended_items(event: OnTheWire) -> tuple[str, ...]:
    """The id of the call whose item the event ends."""
    if event.type != "response.output_item.done":
        return ()
    return tuple(filter(None, [text(mapping(mapping(event.data).get("item")).get("call_id"))]))


def _image(type_: str, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    """The generated image in an event: an item type of OpenAI that OpenResponses does not have."""
    item = mapping(data.get("item"))
    done = type_ == "response.output_item.done" and item.get("type") == "image_generation_call"
    return (Piece("data", result),) if done and (result := text(item.get("result"))) else ()


def _item_key(data: Mapping[str, Any]) -> Any:
    """The key of an event's item: its output index, or else its id."""
    index = data.get("output_index")
    if isinstance(index, int):
        return index
    return text(data.get("item_id")) or text(mapping(data.get("item")).get("id"))


def _integer(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0


def _part_key(data: Mapping[str, Any]) -> tuple[Any, ...] | None:
    kind = _PARTS.get(text(mapping(data.get("part")).get("type")))
    position = "summary_index" if "summary_index" in data else "content_index"
    return (_item_key(data), kind[0], position, _integer(data, position)) if kind else None


def _parts(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(part) for name in ("summary", "content") for part in listed(item.get(name))]


_HANDLERS: dict[str, Callable[[Reader, Mapping[str, Any]], Iterator[Piece | None]]] = {
    "response.content_part.added": Reader._part_added,
    "response.content_part.done": Reader._part_done,
    "response.reasoning_summary_part.added": Reader._part_added,
    "response.reasoning_summary_part.done": Reader._part_done,
    "response.output_item.added": Reader._item_added,
    "response.output_item.done": Reader._item_done,
    "response.function_call_arguments.done": Reader._arguments_done,
    "response.completed": Reader._final_response,
    "response.incomplete": Reader._final_response,
}


_CITATIONS = frozenset({"url_citation", "file_citation", "container_file_citation", "file_path"})

# A citation with its item, as events call it, and its content index.
_Placed = tuple[Any, Any, "Citation"]


class _CitationReader:
    """Reads the citations of one stream; each one is credited to the first event that has it.

    A citation is sent in an event of its own, in its finished part, in the finished item and in the
    final response. Citations have no id, so equal ones are counted: a list in which a citation
    occurs more often than before has a new one.
    """

    def __init__(self) -> None:
        self._seen: list[_Placed] = []

    def read(self, type_: str, data: Mapping[str, Any], item: Any, n: int) -> list[Citation]:
        """The new citations in an event about part ``n`` of an item, in order."""
        if type_ == "response.output_text.annotation.added":
            return self._record((item, n, each) for each in _citations([data.get("annotation")]))
        if type_ == "response.content_part.done":
            held = [(item, n, each) for each in _of_part(data.get("part"))]
            return self._record(_unseen(held, self._seen))
        if type_ == "response.output_item.done":
            return self._record(_unseen(_of_item(item, data.get("item")), self._seen))
        if type_ in TERMINAL:
            return self._record(self._final(listed(mapping(data.get("response")).get("output"))))
        return []

    def _record(self, new: Iterable[_Placed]) -> list[Citation]:
        recorded = list(new)
        self._seen += recorded
        return [citation for _, _, citation in recorded]

    def _final(self, output: list[Any]) -> Iterator[_Placed]:
        """The new citations in a final output, where items may have other indexes than before."""
        held = [(None, None, each) for item in output for _, _, each in _of_item(None, item)]
        return _unseen(held, [(None, None, each) for _, _, each in self._seen])


def _unseen(found: list[_Placed], seen: list[_Placed]) -> Iterator[_Placed]:
    """The citations of a list that occur in it more often than among those seen."""
    left = Counter(seen)
    for each in found:
        if left[each] > 0:
            left[each] -= 1
        else:
            yield each


def _of_item(at: Any, item: Any) -> list[_Placed]:
    parts = enumerate(listed(mapping(item).get("content")))
    return [(at, n, each) for n, part in parts for each in _of_part(part)]


def _of_part(part: Any) -> Iterator[Citation]:
    return _citations(listed(mapping(part).get("annotations")))


def _citations(annotations: list[Any]) -> Iterator[Citation]:
    for annotation in map(mapping, annotations):
        citation = citation_from(annotation)
        if text(annotation.get("type")) in _CITATIONS and citation.fields():
            yield citation
