"""Reads a Responses stream: each text and each call belongs to the first event that has it.

A text is told by its part's beginning, by deltas, by its closing event, by the finished item and by
the final response. What an event says beyond what was said before is its own; the rest repeats.
Items are known by output index, and by id where events have none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import link
from conformance.dialects.entry import Entry, Piece
from conformance.dialects.openresponses.citations import Cited
from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES, TERMINAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.dialects.entry import OnTheWire

_SPELLINGS = {
    "response.output_text": ("text", "content_index", "text"),
    "response.refusal": ("refusal", "content_index", "refusal"),
    "response.reasoning": ("reasoning", "content_index", "text"),
    "response.reasoning_text": ("reasoning", "content_index", "text"),
    "response.reasoning_summary_text": ("reasoning", "summary_index", "text"),
    "response.reasoning_summary": ("reasoning", "summary_index", "text"),
}
"""The stem of events: what they tell, where it stands in its item, the field of the whole."""

_PARTS = {
    "output_text": ("text", "text"),
    "text": ("text", "text"),
    "refusal": ("refusal", "refusal"),
    "reasoning_text": ("reasoning", "text"),
    "summary_text": ("reasoning", "text"),
}

_SILENT = {
    "lifecycle": "lifecycle",
    "item": "tracking",
    "part": "tracking",
    "text": "already emitted",
    "refusal": "already emitted",
    "reasoning": "already emitted",
    "citation": "tracking",
    "arguments": "buffering",
    "error": "failure",
}


class Reader:
    """Follows one stream from its first event to its last."""

    def __init__(self) -> None:
        self._said: defaultdict[tuple[Any, ...], str] = defaultdict(str)
        self._repeats: dict[tuple[Any, ...], str] = {}
        self._spelling: dict[Any, str] = {}
        self._calls: dict[Any, Mapping[str, Any]] = {}
        self._emitted: set[str] = set()
        self._heard_of: set[str] = set()
        self._cited = Cited()
        self._over = False

    def entry(self, event: OnTheWire) -> Entry:
        """What this event adds; events are given in order, each once."""
        data = mapping(event.data)
        if event.kind != "event":
            return Entry(event.n, silent=event.kind if event.kind != "done" else "end of stream")
        if event.ignorable or event.type not in GROUPS:
            silent = "unknown, to be ignored"
            return Entry(event.n, _image(event.type, data), silent, self._announced(data))
        if self._over and GROUPS[event.type] not in ("lifecycle", "error"):
            return Entry(event.n, silent="behind the end")
        adds = () if self._over else tuple(self._added(event.type, data))
        self._over = self._over or event.type in TERMINAL or event.type == "error"
        silent = "" if adds else self._why(event.type, data)
        return Entry(event.n, adds, silent, self._announced(data))

    def _announced(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        """The id of the call of whose item this event is the first to speak."""
        call_id = text(mapping(data.get("item")).get("call_id"))
        new = call_id and call_id not in self._heard_of
        self._heard_of.add(call_id)
        return (call_id,) if new else ()

    def _added(self, type_: str, data: Mapping[str, Any]) -> Iterator[Piece]:
        yield from filter(None, self._read(type_, data))
        n = _number(data, "content_index")
        for source in self._cited.read(type_, data, _item(data), n):
            yield Piece("citation", link(source), source)

    def _read(self, type_: str, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        stem, _, end = type_.rpartition(".")
        if stem in _SPELLINGS:
            yield (self._delta if end == "delta" else self._whole)(stem, data)
        elif reads := _READ.get(type_):
            yield from reads(self, data)

    # Texts

    def _delta(self, stem: str, data: Mapping[str, Any]) -> Piece | None:
        kind, position, _ = _SPELLINGS[stem]
        key = (_item(data), kind, position, _number(data, position))
        if kind == "reasoning" and self._spelling.setdefault(_item(data), stem) != stem:
            return None
        return self._more(key, kind, self._new(key, text(data.get("delta"))))

    def _new(self, key: tuple[Any, ...], delta: str) -> str:
        """A delta without what it repeats of the words that its part began with."""
        waits = self._repeats.pop(key, "")
        repeated = delta if waits.startswith(delta) else waits if delta.startswith(waits) else ""
        if len(repeated) < len(waits) and (repeated or not delta):
            self._repeats[key] = waits[len(repeated) :]
        return delta[len(repeated) :]

    def _more(self, key: tuple[Any, ...], kind: str, value: str) -> Piece | None:
        self._said[key] += value
        return Piece(kind, value) if value else None

    def _whole(self, stem: str, data: Mapping[str, Any]) -> Piece | None:
        kind, position, field = _SPELLINGS[stem]
        key = (_item(data), kind, position, _number(data, position))
        return self._rest(key, kind, text(data.get(field)))

    def _rest(self, key: tuple[Any, ...], kind: str, whole: str) -> Piece | None:
        """What a whole text has beyond what was told of it."""
        said = self._said[key]
        mirrored = kind == "reasoning" and not said and whole in self._thoughts(key[0])
        if mirrored or not whole.startswith(said):
            return None
        return self._more(key, kind, whole[len(said) :])

    def _thoughts(self, item: Any) -> set[str]:
        return {said for key, said in self._said.items() if key[:2] == (item, "reasoning")}

    # Parts and items

    def _part_added(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        if key := _part_key(data):
            kind, field = _PARTS[text(mapping(data.get("part")).get("type"))]
            head = text(mapping(data.get("part")).get(field))
            self._repeats[key] = head
            yield self._more(key, kind, head)

    def _part_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        if key := _part_key(data):
            kind, field = _PARTS[text(mapping(data.get("part")).get("type"))]
            yield self._rest(key, kind, text(mapping(data.get("part")).get(field)))

    def _item_added(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        item = mapping(data.get("item"))
        if item.get("type") == "function_call":
            self._calls[_item(data)] = item
        yield None

    def _item_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        yield from self._finished(_item(data), mapping(data.get("item")))

    def _finished(self, at: Any, item: Mapping[str, Any]) -> Iterator[Piece | None]:
        if item.get("type") == "function_call":
            yield self._completes(item)
        elif item.get("type") in ("message", "reasoning"):
            for position, parts in (("summary_index", "summary"), ("content_index", "content")):
                for n, part in enumerate(_list(item.get(parts))):
                    if kind := _PARTS.get(text(mapping(part).get("type"))):
                        key = (at, kind[0], position, n)
                        yield self._rest(key, kind[0], text(mapping(part).get(kind[1])))

    def _final(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        for item in map(mapping, _list(mapping(data.get("response")).get("output"))):
            if item.get("type") == "function_call":
                yield self._completes(item)
            elif not self._told(item):
                yield from self._finished(("final", text(item.get("id"))), item)

    def _told(self, item: Mapping[str, Any]) -> bool:
        """Was every text of an item told before? Its id and its place may be others by now."""
        fields = ((part, _PARTS.get(text(part.get("type")))) for part in _parts(item))
        texts = [(kind[0], text(part.get(kind[1]))) for part, kind in fields if kind]
        return {(key[1], said) for key, said in self._said.items()}.issuperset(texts)

    # Calls

    def _arguments_done(self, data: Mapping[str, Any]) -> Iterator[Piece | None]:
        yield self._completes(self._calls.get(_item(data), {}))

    def _completes(self, item: Mapping[str, Any]) -> Piece | None:
        """The call of an item, where this event is the first to complete it."""
        call_id = text(item.get("call_id"))
        if not call_id or item.get("status") == "incomplete" or call_id in self._emitted:
            return None
        self._emitted.add(call_id)
        return Piece("call", call_id)

    def _why(self, type_: str, data: Mapping[str, Any]) -> str:
        item = mapping(data.get("item"))
        if item and text(item.get("type")) not in ITEM_TYPES:
            return "unknown, to be ignored"
        if type_ == "response.output_item.done" and item:
            if item.get("status") == "incomplete":
                return "cut short"
            return "already emitted" if text(item.get("call_id")) in self._emitted else "cleanup"
        if type_ == "response.function_call_arguments.done" and _item(data) not in self._calls:
            return "no announced call yet"
        return _SILENT[GROUPS[type_]]


def _image(type_: str, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    """A generated image: OpenAI's item, which a reader of OpenResponses may pass over."""
    item = mapping(data.get("item"))
    done = type_ == "response.output_item.done" and item.get("type") == "image_generation_call"
    return (Piece("data", result),) if done and (result := text(item.get("result"))) else ()


def _item(data: Mapping[str, Any]) -> Any:
    """What an event calls its item by."""
    index = data.get("output_index")
    if isinstance(index, int):
        return index
    return text(data.get("item_id")) or text(mapping(data.get("item")).get("id"))


def _number(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0


def _part_key(data: Mapping[str, Any]) -> tuple[Any, ...] | None:
    kind = _PARTS.get(text(mapping(data.get("part")).get("type")))
    position = "summary_index" if "summary_index" in data else "content_index"
    return (_item(data), kind[0], position, _number(data, position)) if kind else None


def _parts(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(part) for name in ("summary", "content") for part in _list(item.get(name))]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_READ: dict[str, Callable[[Reader, Mapping[str, Any]], Iterator[Piece | None]]] = {
    "response.content_part.added": Reader._part_added,
    "response.content_part.done": Reader._part_done,
    "response.reasoning_summary_part.added": Reader._part_added,
    "response.reasoning_summary_part.done": Reader._part_done,
    "response.output_item.added": Reader._item_added,
    "response.output_item.done": Reader._item_done,
    "response.function_call_arguments.done": Reader._arguments_done,
    "response.completed": Reader._final,
    "response.incomplete": Reader._final,
}
